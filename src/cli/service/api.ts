import type { RouteAnswer } from '../../../handlers/index.ts'
import { ServiceError, type ErrorDetail, badRequest } from '../../base/errors.ts'
import type { Context } from '../../http/access/context.ts'
import type { Services } from '../../runtime/services.ts'
import type { Answer, Call, CallOf, JsonRoute, Route } from '../../sdk/call.ts'
import type { Routes } from '../../sdk/routes.ts'

/** The endpoints of one service, called by their route. */
export interface Api {
  /** Where it is, for people. */
  readonly target: string
  /** `onProgress` hears how far a long read is, where it is done in this process. */
  send<R extends Route>(
    route: R,
    call?: UncheckedCall<R>,
    onProgress?: Context['onProgress'],
  ): Promise<Answer>
  /** Copies the ledger to a new file and makes its folder. Throws where the ledger is no file of this machine. */
  backup(path: string): Promise<void>
  /** Does in this process the background work of a server. Absent where there is a server. */
  readonly here?: (work: (services: Services) => Promise<void>) => Promise<void>
  close(): Promise<void>
}

/** A call of one route with fields that it has, of whatever type: the service checks what a person gave. */
export type UncheckedCall<R extends Route> = Call &
  Pick<CallOf<R>, 'path'> & {
    readonly query?: { readonly [F in FieldOf<R, 'query'>]?: unknown } | undefined
    readonly body?: { readonly [F in FieldOf<R, 'body'>]?: unknown } | undefined
  }

type FieldOf<R extends Route, K extends string> = Routes[R] extends { readonly [P in K]?: infer T }
  ? keyof T
  : never

/** The JSON of the answer to a call that must succeed. Throws what the service said otherwise. */
export async function callJson<R extends JsonRoute>(
  api: Api,
  route: R,
  call?: UncheckedCall<R>,
  onProgress?: Context['onProgress'],
): Promise<RouteAnswer<R>> {
  return goodJson(await api.send(route, call, onProgress))
}

/** The JSON of an answer that must be good. Throws what the service said otherwise. */
export function goodJson<T>(answer: Answer): T {
  const value = readJson(answer)
  if (answer.status >= 400) throw toError(answer.status, value)
  return value as T
}

/** The warnings that a service sends in a header, where the body is a document or lines. */
export function warningsIn({ headers }: Answer): { readonly warnings: readonly string[] } {
  const warning = headers.get('x-service-warning')
  return { warnings: warning === null ? [] : [warning] }
}

/** The JSON of an answer whose status the caller looks at itself. */
export function readJson(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch (error) {
    throw badRequest(`The service answered ${answer.status} without JSON; is the URL right?`, error)
  }
}

/** The error of an answer of 400 and above. */
export function toError(status: number, body: unknown): ServiceError {
  const detail = (body as { detail?: ErrorDetail }).detail
  if (Array.isArray(detail)) {
    const texts = detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc[0]} ${msg}`)
    return new ServiceError(status, `Invalid input: ${texts.join('; ')}`)
  }
  if (typeof detail === 'string') {
    return new ServiceError(status, status === 401 ? `${detail} ${hintOf(detail)}`.trimEnd() : detail)
  }
  const message = (detail as { message?: unknown } | undefined)?.message
  return new ServiceError(status, typeof message === 'string' ? message : `The service answered ${status}.`)
}

/** Where another credential comes from. */
function hintOf(detail: string): string {
  if (detail.includes('svc login')) return ''
  return /sign in again/i.test(detail)
    ? 'Run `svc login --profile NAME`.'
    : 'Set the token of the profile, or SERVICE_LOCAL_API_TOKEN.'
}
