import { signal } from './signal.ts'
import { jsonOf } from '../base/text.ts'
import { actor, csrfToken, readRefusal, token, writeRefusal } from './access.ts'

/** An answer that is not 2xx, or none: then `status` is 0. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The parsed body. */
  readonly body: unknown

  constructor(status: number, message: string, body?: unknown) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** Why nothing can be read, and since when; undefined while something can. */
export const outage = signal<{ readonly why: string; readonly since: number } | undefined>(undefined)

const NO_ANSWER = 'The service does not answer.'

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the page, e.g. `v1/releases`. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 20_000

/** An answer, and its tag: as long as the service says that it is the same, it is not sent again. */
export interface Tagged<T> {
  readonly data: T
  readonly etag: string | undefined
}

/** Reads again what was read before: the same answer where it has not changed. Throws ApiError. */
export async function readAgain<T>(call: ApiCall, known: Tagged<T> | undefined): Promise<Tagged<T>> {
  const response = await answerOf({ ...call, headers: { 'if-none-match': known?.etag ?? '"none"' } })
  if (response.status !== 304 || known === undefined) {
    return { data: await bodyOf<T>(call, response), etag: response.headers.get('etag') ?? undefined }
  }
  outage.value = undefined
  noteAccepted(call)
  return known
}

/** Calls the API of the origin and folder that this page came from. Throws ApiError. */
export async function callApi<T>(call: ApiCall): Promise<T> {
  return bodyOf<T>(call, await answerOf(call))
}

async function bodyOf<T>(call: ApiCall, response: Response): Promise<T> {
  const text = await response.text().catch(() => '')
  const body = jsonOf(text)
  if (response.ok && body !== undefined) {
    // What a service says of itself needs no ledger.
    if (call.path !== 'health') outage.value = undefined
    noteAccepted(call)
    return body as T
  }
  const error = new ApiError(response.status, messageOf(response, body), body)
  noteOutage(call, error)
  if (response.status === 401 || response.status === 403) noteRefused(call, error)
  throw error
}

/** The same, of an answer that is not JSON. */
export async function download(path: string): Promise<Blob> {
  const response = await answerOf({ path })
  if (response.ok) return response.blob()
  throw new ApiError(response.status, messageOf(response, jsonOf(await response.text())))
}

/** Saves what the browser holds as a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

async function answerOf({ method = 'GET', path, body, headers }: ApiCall): Promise<Response> {
  const csrf = method === 'GET' ? '' : csrfToken()
  try {
    return await fetch(path, {
      method,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(token.value === '' ? {} : { authorization: `Bearer ${token.value}` }),
        ...(csrf === '' ? {} : { 'x-service-csrf': csrf }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    outage.value ??= { why: NO_ANSWER, since: Date.now() }
    throw new ApiError(0, NO_ANSWER)
  }
}

/** A service whose ledger is gone says so; a proxy in front of a dead one answers for it. What only changes meet is theirs. */
function noteOutage({ method = 'GET' }: ApiCall, { status, message, body }: ApiError): void {
  if (method !== 'GET') return
  if (![502, 503, 504].includes(status)) outage.value = undefined
  else outage.value ??= { why: body === undefined ? NO_ANSWER : message, since: Date.now() }
}

/** Who acts, where a body has no room for it. A header holds bytes: the service reads those of UTF-8. */
export function actorHeader(): Readonly<Record<string, string>> {
  const bytes = new TextEncoder().encode(actor.value.trim())
  return bytes.length === 0 ? {} : { 'x-service-actor': String.fromCharCode(...bytes) }
}

interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
}

/** The sentence to show: `detail` is a text, an object with a message, or a list of problems by field. */
function messageOf({ status, statusText }: Response, body: unknown): string {
  const detail = (body as { detail?: unknown } | undefined)?.detail
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail)) {
    return (detail as FieldProblem[]).map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('; ')
  }
  const message = (detail as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message : `The service answered ${status} ${statusText}`.trim()
}

/** Reads that are open, or take more than others. */
const UNLIKE_READS = /^(?:health|v1\/(?:webhook|token|session|audit|doctor|metrics))/

/** Of those that take a token to read. */
const isRead = ({ method = 'GET', path }: ApiCall): boolean => method === 'GET' && !UNLIKE_READS.test(path)

/** What tells nothing of what may be changed: the board looks at webhooks whoever is there, and policies take more. */
const isOpen = ({ method = 'GET', path }: ApiCall): boolean =>
  /^v1\/(?:diff|policy|token|session)/.test(path) || (method === 'GET' && UNLIKE_READS.test(path))

function noteRefused(call: ApiCall, error: ApiError): void {
  if (isRead(call)) readRefusal.value = error.message
  else if (!isOpen(call)) writeRefusal.value = error.message
}

function noteAccepted(call: ApiCall): void {
  if (isRead(call)) readRefusal.value = undefined
  else if (!isOpen(call)) writeRefusal.value = undefined
}
