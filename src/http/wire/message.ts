/**
 * The part of a Fetch API Request that endpoints read. A Request is one; the command line passes a plain
 * object, because loading Node's Fetch implementation doubles the start-up time of a command.
 */
export interface RequestLike {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null; keys(): Iterable<string> }
  readonly body: AsyncIterable<Uint8Array> | string | null
  /** Aborted when the client is gone. Absent where nothing tells. */
  readonly signal?: AbortSignal | undefined
}

/** The type of a body's content, for the compiler alone. */
declare const SAYS: unique symbol

/** An answer before it is a Response, of a value of type T. */
export interface Reply<out T = unknown> {
  readonly [SAYS]?: T
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Values of Set-Cookie, of which an answer may have several. */
  readonly cookies?: readonly string[]
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string>
}

const JSON_TYPE = 'application/json'

/** Answers a value as JSON. */
export function json<T>(value: T, status = 200, headers: Readonly<Record<string, string>> = {}): Reply<T> {
  return jsonText<T>(JSON.stringify(value), status, headers)
}

/** Answers a text that is the JSON of a T already. */
export function jsonText<T>(
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply<T> {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body }
}

/** Answers a text, or one that is produced as it is read. */
export function plain(
  body: string | AsyncIterable<string>,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<string> {
  return { status: 200, headers: { 'content-type': contentType, ...headers }, body }
}

/**
 * Answers an HTML page. Everything on it comes from this server, and the page has no inline script; styles may,
 * because the documentation sets some on its elements.
 */
export function page(html: string): Reply<string> {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS }, body: html }
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** The body of a reply as one text. */
export async function bodyText({ body }: Reply): Promise<string> {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const parts: string[] = []
  for await (const part of body) parts.push(part)
  return parts.join('')
}

/** A reply as a Response of the runtime's own kind. */
export function toResponse(
  { status, headers, cookies = [], body }: Reply,
  ResponseClass: typeof Response = Response,
): Response {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  // Of an answer that has no body an empty one is refused too.
  const response = new ResponseClass(status === 304 ? null : isWhole ? body : toStream(body), {
    status,
    headers,
  })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

function toStream(parts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** What a repeated idempotency key is answered with. */
export function replayHeaders(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {}
}
