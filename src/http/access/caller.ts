import { EVERYTHING, type Scope, isLimited } from '../../ledger/world/scope.ts'
import type { Identity } from '../../ledger/world/ledger.ts'
import type { Sender } from '../../ledger/events/check.ts'
import { ROLES } from '../../models/names.ts'

/** What a caller may do at an endpoint, by what the endpoint does (specification, Authentication). */
export type Access = 'open' | 'read' | 'ingest' | 'write' | 'admin' | 'aggregates'

/** Whom a request comes from, as far as that is proven, and what that is good for. */
export interface Caller {
  /** `shared` has a token of the server's environment; `nobody` has none, and needs none. */
  readonly kind: 'cli' | 'nobody' | 'shared' | 'token' | 'oidc'
  readonly name: string
  readonly allows: readonly Access[]
  /** What its token is good for, where the way in which it was sent allows less. */
  readonly grants?: readonly Access[]
  readonly scope: Scope
  /** Whom an identity provider vouches for. */
  readonly identity?: Identity
  /** The source of which a token may send aggregates, where it is good for that alone. */
  readonly source?: string
  /** The session of a person who has signed in, by its id. */
  readonly session?: string
}

export const ALL_ACCESS: readonly Access[] = ROLES

export const NOBODY: Caller = { kind: 'nobody', name: 'http', allows: ALL_ACCESS, scope: EVERYTHING }

/** This machine's command line, which is trusted. */
export function commandLine(actor: string): Caller {
  return { kind: 'cli', name: actor, allows: ALL_ACCESS, scope: EVERYTHING }
}

/** Whether a caller proves who it is, rather than what it knows. */
export function isNamed({ kind }: Caller): boolean {
  return kind === 'token' || kind === 'oidc'
}

/** Whether an endpoint of this access changes anything. */
export function changes(access: Access): access is 'write' | 'admin' | 'aggregates' {
  return access === 'write' || access === 'admin' || access === 'aggregates'
}

/** A caller as ingest sees it: what it may send, and whether warnings may name what others registered. */
export function senderOf(caller: Caller): Sender {
  const readsAll = !isNamed(caller) || (caller.allows.includes('read') && !isLimited(caller.scope))
  return { scope: caller.scope, readsAll }
}
