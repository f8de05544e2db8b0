import { signal } from '@preact/signals'
import { jsonOf } from '../base/text.ts'
import { actor, readRefusal, token, writeRefusal } from './access.ts'

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

/** When the service last failed to answer; undefined while it answers. */
export const downSince = signal<number | undefined>(undefined)

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the page, e.g. `v1/releases`. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 20_000

/** Calls the API of the origin and folder that this page came from. Throws ApiError. */
export async function callApi<T>(call: ApiCall): Promise<T> {
  const response = await answerOf(call)
  const text = await response.text().catch(() => '')
  const body = jsonOf(text)
  if (response.ok && body !== undefined) {
    noteAccepted(call)
    return body as T
  }
  const error = new ApiError(response.status, messageOf(response, body), body)
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
  try {
    const response = await fetch(path, {
      method,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(token.value === '' ? {} : { authorization: `Bearer ${token.value}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // A proxy in front of a dead service answers for it.
    if ([502, 503, 504].includes(response.status)) downSince.value ??= Date.now()
    else downSince.value = undefined
    return response
  } catch {
    downSince.value ??= Date.now()
    throw new ApiError(0, 'The service does not answer.')
  }
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

/** Of those that take a token to read: /health is open, and webhooks are gated like changes. */
const isRead = ({ method = 'GET', path }: ApiCall): boolean =>
  method === 'GET' && path !== 'health' && !path.startsWith('v1/webhook')

/** What tells nothing of what may be changed: the board looks at webhooks whoever is there, and policies take more. */
const isOpen = ({ method = 'GET', path }: ApiCall): boolean =>
  path === 'health' ||
  path.startsWith('v1/diff') ||
  path.startsWith('v1/policy') ||
  (method === 'GET' && path.startsWith('v1/webhook'))

function noteRefused(call: ApiCall, error: ApiError): void {
  if (isRead(call)) readRefusal.value = error.message
  else if (!isOpen(call)) writeRefusal.value = error.message
}

function noteAccepted(call: ApiCall): void {
  if (isRead(call)) readRefusal.value = undefined
  else if (!isOpen(call)) writeRefusal.value = undefined
}
