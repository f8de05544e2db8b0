import type { Call, CallOptions } from './call.ts'
import { ok } from './requests.ts'
import type { TestService } from './service.ts'

/** This machine's command line, to which no token applies. */
export const OPERATOR = { kind: 'cli', actor: 'operator' } as const

export interface Granted {
  readonly role: 'read' | 'ingest' | 'write' | 'admin'
  readonly agents?: readonly string[]
  readonly environments?: readonly string[]
  readonly expires?: string
}

/** Makes a token as the operator and returns it. */
export async function grant(service: TestService, name: string, granted: Granted): Promise<string> {
  const call = service.call('POST /v1/tokens', { body: { name, ...granted }, peer: OPERATOR })
  return (await ok(call)).token as string
}

/** The same calls with a token. */
export function bearing(service: TestService, token: string): TestService {
  const call: Call = (route, { headers = {}, ...options }: CallOptions = {}) =>
    service.call(route, { ...options, headers: { authorization: `Bearer ${token}`, ...headers } })
  return { ...service, call }
}

/** The same calls as the operator. */
export function operating(service: TestService): TestService {
  return { ...service, call: (route, options = {}) => service.call(route, { peer: OPERATOR, ...options }) }
}
