import {
  type Answer,
  type AnswerOf,
  type Call,
  type CallOf,
  type JsonRoute,
  type Route,
  type RouteFacts,
  requestOf,
} from './call.ts'
import { ApiError, ClientError } from './errors.ts'
import {
  type ClientOptions,
  type Fetch,
  OPTION_NAMES,
  type Wording,
  checkNumber,
  checkToken,
  checkUrl,
} from './options.ts'

export interface CallOptions {
  /** Gives the call up; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly actor?: string | undefined
  /** A repeated key answers with what was answered first. For promote, rollback, request and confirm. */
  readonly idempotencyKey?: string | undefined
  /** The ETag of an answer that the caller has; answered by 304 where it still holds. */
  readonly ifNoneMatch?: string | undefined
}

/** Sends requests to one service: URL, headers, time-out, retries, and what an error is. */
export class Transport {
  readonly base: string
  readonly #token: string | undefined
  readonly #actor: string | undefined
  readonly #timeoutMs: number
  readonly #maxRetries: number
  readonly #backoffMs: number
  readonly #fetch: Fetch
  readonly #factsOf: (route: Route) => RouteFacts
  readonly #wording: Wording

  /** `wording` is for messages to people who know the options by other names. */
  constructor(
    baseUrl: string,
    options: ClientOptions,
    factsOf: (route: Route) => RouteFacts,
    wording: Wording = OPTION_NAMES,
  ) {
    this.#factsOf = factsOf
    this.#wording = wording
    this.base = checkUrl(baseUrl, wording)
    this.#token = checkToken(options.token, wording)
    this.#actor = options.actor
    this.#timeoutMs = checkNumber('timeoutMs', options.timeoutMs ?? 5000, 1)
    this.#maxRetries = checkNumber('maxRetries', options.maxRetries ?? 0, 0)
    this.#backoffMs = checkNumber('retryBackoffMs', options.retryBackoffMs ?? 100, 0)
    const given = options.fetch
    // Called without a `this`, which browsers and workerd refuse in a method's call.
    this.#fetch = (url, init) => (given === undefined ? fetch(url, init) : given(url, init))
  }

  /** The JSON of a good answer. Throws what `send` throws, and ClientError for what is no JSON. */
  async call<R extends JsonRoute>(route: R, call: CallOf<R>, options?: CallOptions): Promise<AnswerOf<R>> {
    return parseAnswer(this.base, await this.send(route, call, options))
  }

  /** The text of a good answer. Throws what `send` throws. */
  async text<R extends Route>(route: R, call: CallOf<R>, options?: CallOptions): Promise<string> {
    return (await this.send(route, call, options)).text
  }

  /** A good answer. Throws ApiError for one of 400 and above, ClientError without one, or the signal's reason. */
  async send(route: Route, call?: Call, options?: CallOptions): Promise<Answer> {
    const answer = await this.ask(route, call, options)
    if (answer.status < 400) return answer
    const detail = bodyOf(answer)?.detail ?? `The service answered ${answer.status}.`
    throw new ApiError(route, answer.status, detail, answer.headers)
  }

  /** What the service answers, whatever that is. Throws ClientError where nothing of it came, or the signal's reason. */
  async ask(route: Route, call: Call = {}, options: CallOptions = {}): Promise<Answer> {
    const { method, path, body } = requestOf(route, call)
    const { readsOnly, repeatable, idempotent } = this.#factsOf(route)
    const keyed = { ...options }
    if (this.#maxRetries > 0 && idempotent) keyed.idempotencyKey ??= crypto.randomUUID()
    const mayRepeat = method !== 'POST' || readsOnly || repeatable || idempotent
    const retries = mayRepeat ? this.#maxRetries : 0
    const init: RequestInit = {
      method,
      headers: this.#headers(body, keyed),
      // Followed, a redirected POST would become a GET, and its answer would be taken for that of the write.
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    }
    for (let attempt = 0; ; attempt++) {
      try {
        return this.#checked(route, await this.#once(route, this.base + path, init, options))
      } catch (error) {
        const isNetwork =
          error instanceof ClientError && (error.kind === 'network' || error.kind === 'timeout')
        if (!isNetwork || attempt >= retries) throw error
        await pause(this.#backoffMs * 2 ** attempt, options.signal)
      }
    }
  }

  async #once(
    route: Route,
    url: string,
    init: RequestInit,
    { signal, timeoutMs }: CallOptions,
  ): Promise<Answer> {
    const limitMs = timeoutMs ?? this.#timeoutMs
    const timeout = AbortSignal.timeout(limitMs)
    const signals = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    let response: Response | undefined
    try {
      response = await this.#fetch(url, { ...init, signal: signals })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      if (timeout.aborted) {
        const advice = this.#wording.timeout
        const message = `${route}: ${this.base} gave no answer within ${limitMs} ms; ${advice}.`
        throw new ClientError('timeout', message, error)
      }
      const message =
        response === undefined
          ? `can't reach ${this.base} (${causeOf(error)}). Is the service running there?`
          : `${this.base} broke off in the middle of its answer; check what arrived before you try again.`
      throw new ClientError('network', `${route}: ${message}`, error)
    }
  }

  /** Refuses what no service answers, and what one that lacks the route does. */
  #checked(route: Route, answer: Answer): Answer {
    const { status, headers } = answer
    if (status === 304) return answer
    // A browser hides where to, behind a status of 0.
    if (status < 200 || (status >= 300 && status < 400)) {
      const place = headers.get('location') ?? 'another address'
      throw new ClientError(
        'unexpected',
        `${this.base} redirects to ${place}; use the address of the service itself.`,
      )
    }
    if (status < 400 || status >= 500) return answer
    const body = bodyOf(answer)
    if (body?.detail === undefined) {
      const message = `${route}: ${this.base} answered ${status} without a \`detail\`, so it is not the service; check the base URL.`
      throw new ClientError('unexpected', message)
    }
    if (status === 405 || body.type === 'no_route') {
      const message = `${route}: the service at ${this.base} has no such route; upgrade it to the version of this client, or check the base URL.`
      throw new ClientError('unexpected', message)
    }
    return answer
  }

  #headers(
    body: string | undefined,
    { actor = this.#actor, idempotencyKey, ifNoneMatch }: CallOptions,
  ): Record<string, string> {
    return {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      // A header holds ASCII only; what isn't is percent-encoded.
      ...(actor === undefined
        ? {}
        : { 'x-service-actor': actor.replaceAll(/[^\u0020-\u007E]+/g, encodeURIComponent) }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    }
  }
}

/** Parses the JSON of a good answer. */
export function parseAnswer<T>(base: string, { headers, text }: Answer): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    const type = headers.get('content-type') ?? 'no content type'
    throw new ClientError('unexpected', `${base} answered with ${type}, not JSON; check the base URL.`, error)
  }
}

/** The body of an error, where it is JSON. `type` is `no_route` where nothing is at the path. */
function bodyOf({ text }: Answer): { detail?: ApiError['detail']; type?: unknown } | undefined {
  try {
    return (JSON.parse(text) as ReturnType<typeof bodyOf> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** What lies behind `fetch failed`. */
function causeOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  // OpenSSL ends its messages with a line feed.
  return (cause?.message || cause?.code || message || String(error)).trim()
}

/** Waits so many milliseconds; rejects with the signal's reason where that comes first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
