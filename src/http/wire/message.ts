import { ServiceError } from '../../base/errors.ts'
import { LATE, SqlError, isGone } from '../../sql/port.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { digestOf } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'

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
  readonly body: Whole | AsyncIterable<string>
}

type Whole = string | Uint8Array<ArrayBuffer>

const JSON_TYPE = 'application/json'

export function json<T>(value: T, status = 200, headers: Readonly<Record<string, string>> = {}): Reply<T> {
  return jsonText<T>(JSON.stringify(value), status, headers)
}

/** Answers a text that is the JSON of a T already. */
export function jsonText<T>(
  body: Whole,
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
 * Answers `{NAME: [...]}`: whole where the first page is all there is, else in pieces as the pages are read. `nextTurn`
 * lets other requests have theirs: a thread that answers at once would keep this one busy with pages alone.
 */
export async function listed<N extends string, T>(
  name: N,
  pages: AsyncGenerator<readonly T[], undefined>,
  nextTurn: () => Promise<void> | void,
): Promise<Reply<Readonly<Record<N, readonly T[]>>>> {
  const first = (await pages.next()).value ?? []
  const second = await pages.next()
  if (second.done === true) return json({ [name]: first } as Record<N, readonly T[]>)
  const text = (some: readonly T[]): string => some.map(each => JSON.stringify(each)).join()
  const inPieces = async function* (): AsyncGenerator<string> {
    yield `{${JSON.stringify(name)}:[${text(first)}`
    for (let next: readonly T[] | undefined = second.value; next !== undefined;) {
      if (next.length > 0) yield `,${text(next)}`
      await nextTurn()
      next = (await pages.next()).value
    }
    yield ']}'
  }
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body: inPieces() }
}

/**
 * Answers an HTML page. Everything on it comes from this server, and the page has no inline script; styles may,
 * because the documentation sets some on its elements.
 */
export function page(html: Whole): Reply<string> {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS }, body: html }
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/**
 * Returns what makes the body of an answer of a text. That of the last text is kept: one that is the same for all is made
 * once, and compressed once.
 */
export function keptBody(make: (text: string) => string): (text: string) => Whole {
  let last: { readonly text: string; readonly body: Whole } | undefined
  return function bodyOf(text) {
    if (last?.text !== text) last = { text, body: new TextEncoder().encode(make(text)) }
    return last.body
  }
}

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

/** Turns whatever was thrown into an answer. What the caller isn't meant to read is logged and masked. */
export function errorReply(error: unknown, log: Log): Reply {
  if (error instanceof ServiceError) {
    return json({ detail: error.detail }, error.status, error.headers)
  }
  if (isGone(error)) {
    return json({ detail: 'The client closed the request before it was carried out.' }, CLIENT_CLOSED)
  }
  if (error instanceof SqlError && error.kind in UNAVAILABLE) {
    log('error', 'the ledger is not available', { error })
    return json({ detail: unavailableText(error) }, 503, { 'retry-after': '1' })
  }
  if (error instanceof SqlError && error.kind === 'too_large') {
    log('warn', 'a request is larger than the ledger can store', { error })
    return json({ detail: `This is more than the ledger can store: ${error.message}.` }, 413)
  }
  const exhausted = error instanceof Error && 'code' in error ? EXHAUSTED[String(error.code)] : undefined
  if (exhausted !== undefined) {
    log('error', `the server is out of ${exhausted}`, { error })
    return json({ detail: `The server is out of ${exhausted}; try again.` }, 503, { 'retry-after': '1' })
  }
  log('error', 'internal error', { error })
  return json({ detail: 'Internal error; the log of the server says more.' }, 500)
}

/** No status of HTTP, but what servers log for it. Nobody reads the answer. */
const CLIENT_CLOSED = 499

function unavailableText({ kind, reason }: SqlError): string {
  if (kind === 'unavailable' && reason !== undefined) return `The ledger is not available: ${reason}.`
  if (kind === 'busy' && reason === LATE) return TOO_SLOW
  return UNAVAILABLE[kind as keyof typeof UNAVAILABLE]
}

const UNAVAILABLE = {
  busy: 'The ledger is locked by another writer; try again.',
  serialization: 'The ledger is busy with concurrent writes; try again.',
  unavailable: 'The ledger is not available; try again later.',
  uncertain: 'The connection to the ledger was lost while it wrote; check the result before you try again.',
} as const

const TOO_SLOW = 'The ledger did not answer in time; use a shorter window, or try again when it is less busy.'

/** What a server may run out of, for a while, by the code of the system: to load code, say, it opens files. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: 'file handles',
  ENFILE: 'file handles',
  ENOMEM: 'memory',
}

/** Whether an If-None-Match header names it (RFC 9110, 13.1.2). */
export function knows(ifNoneMatch: string, etag: string): boolean {
  const known = ifNoneMatch.split(',').map(text => text.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

/**
 * The same answer with a tag of its body, for a read that comes with If-None-Match; 304 where that names it. A read without
 * that header is not hashed, and has no tag.
 */
export async function revalidated(reply: Reply, { method, headers }: RequestLike): Promise<Reply> {
  const given = headers.get('if-none-match')
  const { status, body } = reply
  if (given === null || method !== 'GET' || status !== 200 || 'etag' in reply.headers) return reply
  if (!(typeof body === 'string' || body instanceof Uint8Array)) return reply
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const tag = `"${hex(await digestOf(bytes)).slice(0, 32)}"`
  const tagged = { ...reply.headers, etag: `W/${tag}` }
  return knows(given, tag)
    ? { ...reply, status: 304, headers: tagged, body: '' }
    : { ...reply, headers: tagged }
}
