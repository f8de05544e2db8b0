import { ApiError, ClientError } from './errors.ts'
import { type ClientOptions, type Fetch, checkNumber, checkToken, checkUrl } from './options.ts'
import { pause } from './pause.ts'

export interface CallOptions {
  /** Gives the call up; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly actor?: string | undefined
  /** A repeated key answers with what was answered first. For promote, rollback, request and confirm. */
  readonly idempotencyKey?: string | undefined
}

type Route = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

export interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object | undefined
  /** A body that is JSON text already. */
  readonly bodyText?: string
}

/** An answer below 400, read to its end. */
export interface Answer {
  readonly headers: Headers
  readonly text: string
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

  constructor(baseUrl: string, options: ClientOptions) {
    this.base = checkUrl(baseUrl)
    this.#token = checkToken(options.token)
    this.#actor = options.actor
    this.#timeoutMs = checkNumber('timeoutMs', options.timeoutMs ?? 5000, 1)
    this.#maxRetries = checkNumber('maxRetries', options.maxRetries ?? 0, 0)
    this.#backoffMs = checkNumber('retryBackoffMs', options.retryBackoffMs ?? 100, 0)
    const given = options.fetch
    // Called without a `this`, which browsers and workerd refuse in a method's call.
    this.#fetch = (url, init) => (given === undefined ? fetch(url, init) : given(url, init))
  }

  /** Throws ApiError for an answer of 400 and above, ClientError without one, or the signal's reason. */
  async send(route: Route, call: Call = {}, options: CallOptions = {}): Promise<Answer> {
    const [method, template] = route.split(' ') as [string, string]
    const keyed = { ...options }
    if (this.#maxRetries > 0 && KEYED.has(route)) keyed.idempotencyKey ??= crypto.randomUUID()
    const retries = method === 'POST' && !REPEATABLE.has(route) && !KEYED.has(route) ? 0 : this.#maxRetries
    const init: RequestInit = {
      method,
      headers: this.#headers(method, keyed),
      // Followed, a redirected POST would become a GET, and its answer would be taken for that of the write.
      redirect: 'manual',
      ...(method === 'GET' || method === 'DELETE'
        ? {}
        : { body: call.bodyText ?? JSON.stringify(call.body ?? {}) }),
    }
    const url = this.base + pathOf(template, call)
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(route, url, init, options)
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
    try {
      const response = await this.#fetch(url, { ...init, signal: signals })
      const text = await response.text()
      return this.#answer(route, response, text)
    } catch (error) {
      if (error instanceof ApiError || error instanceof ClientError) throw error
      if (signal?.aborted === true) throw signal.reason
      if (timeout.aborted) {
        const message = `${route}: ${this.base} gave no answer within ${limitMs} ms; raise timeoutMs, or look at the service.`
        throw new ClientError('timeout', message, error)
      }
      const message = `${route}: can't reach ${this.base} (${causeOf(error)}). Is the service running there?`
      throw new ClientError('network', message, error)
    }
  }

  #answer(route: Route, response: Response, text: string): Answer {
    const { status, headers } = response
    // A browser hides where to, behind a status of 0.
    if (status < 200 || (status >= 300 && status < 400)) {
      const place = headers.get('location') ?? 'another address'
      throw new ClientError(
        'unexpected',
        `${this.base} redirects to ${place}; use the address of the service itself.`,
      )
    }
    if (status < 400) return { headers, text }
    const detail = detailOf(text)
    if (detail === undefined && status < 500) {
      const message = `${route}: ${this.base} answered ${status} without a \`detail\`, so it is not the service; check the base URL.`
      throw new ClientError('unexpected', message)
    }
    if (status === 405 || (status === 404 && detail === NO_SUCH_PATH)) {
      const message = `${route}: the service at ${this.base} has no such route; upgrade it to the version of this client, or check the base URL.`
      throw new ClientError('unexpected', message)
    }
    throw new ApiError(route, status, detail ?? `The service answered ${status}.`, headers)
  }

  #headers(method: string, { actor = this.#actor, idempotencyKey }: CallOptions): Record<string, string> {
    return {
      ...(method === 'GET' || method === 'DELETE' ? {} : { 'content-type': 'application/json' }),
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      // A header holds ASCII only; what isn't is percent-encoded.
      ...(actor === undefined
        ? {}
        : { 'x-service-actor': actor.replaceAll(/[^\u0020-\u007E]+/g, encodeURIComponent) }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
  }
}

/** POSTs that may be sent twice: they write nothing, or nothing twice. */
const REPEATABLE = new Set<string>([
  'POST /v1/events',
  'POST /v1/diff',
  'POST /v1/diff/groups',
  'POST /v1/rollups/rebuild',
])

/** POSTs that may be sent twice under one Idempotency-Key. */
const KEYED = new Set<string>([
  'POST /v1/promote',
  'POST /v1/promote/request',
  'POST /v1/promote/confirm',
  'POST /v1/rollback',
])

/** What the router says of a path that is no route. */
const NO_SUCH_PATH = 'There is nothing at this path; GET /docs lists what there is.'

/** Parses the JSON of a good answer. */
export function parseAnswer<T>(base: string, { headers, text }: Answer): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    const type = headers.get('content-type') ?? 'no content type'
    throw new ClientError('unexpected', `${base} answered with ${type}, not JSON; check the base URL.`, error)
  }
}

function pathOf(template: string, { path = {}, query = {} }: Call): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, string | number | boolean | undefined][]) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size > 0 ? `${filled}?${parameters}` : filled
}

function detailOf(text: string): ApiError['detail'] | undefined {
  try {
    return (JSON.parse(text) as { detail?: ApiError['detail'] } | null)?.detail
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
