import type { RequestLike } from '../wire/message.ts'
import type { Caller } from './caller.ts'
import type { Facts } from './context.ts'

/** Who callers are by an identity provider. Each throws 401 or 403 for what does not hold, and 503 where nobody can tell. */
export interface Identify {
  /** The caller of a Bearer token; undefined where it is of no issuer that is trusted. */
  readonly byToken: (token: string, facts: Facts) => Promise<Caller | undefined>
  /** The caller of a request that a browser sends with the cookie of a session; undefined where it has none. */
  readonly bySession: (request: RequestLike, facts: Facts) => Promise<Caller | undefined>
}
