import type { Blocked, RequestBlocked, StaleBaseline, ValidationError } from './types.ts'

/** What the `detail` of an error body is, by status. */
export interface DetailByStatus {
  /** It can't be done as requested. */
  400: string
  /** The service wants a token, and none or another one was sent. */
  401: string
  /** The token isn't good for this, or without a token the caller isn't on the service's machine. */
  403: string
  404: string
  /** The policy blocked it. */
  409: Blocked['detail'] | RequestBlocked['detail']
  /** Something else is promoted than `expected_baseline_release_id` says. Nothing was recorded. */
  412: StaleBaseline['detail']
  413: string
  /** The request has the wrong shape. */
  422: ValidationError['detail']
  500: string
  503: string
}

/** The service answered, and said no. `isApiError(error, status)` tells the type of `detail`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly detail: DetailByStatus[keyof DetailByStatus]
  /** What the log of the service calls this request. */
  readonly requestId: string | undefined
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfterS: number | undefined

  constructor(call: string, status: number, detail: ApiError['detail'], headers: Pick<Headers, 'get'>) {
    super(`${call}: ${messageOf(status, detail)}`)
    this.status = status
    this.detail = detail
    this.requestId = headers.get('x-request-id') ?? undefined
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
    this.retryAfterS = Number.isFinite(retryAfter) ? retryAfter : undefined
  }
}

/**
 * There was no answer of the service to go by.
 * `configuration`: the client was given something it can't use; nothing was sent.
 * `network`, `timeout`: the service couldn't be reached, or said nothing in time; a write may have happened.
 * `unexpected`: something answered that isn't the service, or is too old for this call.
 * `limit`: there is more than can be paged through.
 */
export type ClientErrorKind = 'configuration' | 'network' | 'timeout' | 'unexpected' | 'limit'

export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly kind: ClientErrorKind

  constructor(kind: ClientErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Whether the service answered with this status, or with any of 400 and above. */
export function isApiError<S extends keyof DetailByStatus>(
  error: unknown,
  status: S,
): error is ApiError & { readonly status: S; readonly detail: DetailByStatus[S] }
export function isApiError(error: unknown): error is ApiError
export function isApiError(error: unknown, status?: number): boolean {
  return error instanceof ApiError && (status === undefined || error.status === status)
}

function messageOf(status: number, detail: ApiError['detail']): string {
  if (typeof detail === 'string') return detail + (ADVICE[status] ?? '')
  if ('live' in detail) return detail.message
  if ('message' in detail) {
    const { reasons } = 'outcome' in detail ? detail.outcome.policy : detail.policy
    return `${detail.message} ${reasons.join('; ')}`
  }
  return `Invalid input: ${detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc[0]} ${msg}`).join('; ')}`
}

const ADVICE: Readonly<Record<number, string>> = {
  401: ' Pass the SERVICE_LOCAL_API_TOKEN of the service as `token`.',
}
