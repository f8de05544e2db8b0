import { type Rate, parseRate } from '../../base/shares.ts'
import { ServiceError } from '../../base/errors.ts'
import type { Memo } from '../../ledger/world/memo.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { RequestLike } from '../wire/message.ts'
import type { Caller } from './caller.ts'
import { type Peer, addressOf, isLocal } from './loopback.ts'

interface LimitContext {
  readonly memo: Pick<Memo, 'buckets'>
  readonly workspace: Pick<WorkspaceConfig, 'limits'>
  readonly peer: Peer
  readonly now: () => number
}

/** Throws 429 where a credential asks more often than it may. This machine's own requests are not limited. */
export function limitCaller({ kind, name }: Caller, request: RequestLike, facts: LimitContext): void {
  take(facts.workspace.limits?.per_credential, () => `${kind} ${name}`, request, facts)
}

/** The same for requests without a credential that holds, by their address. */
export function limitStranger(request: RequestLike, facts: LimitContext): void {
  const { limits } = facts.workspace
  take(
    limits?.per_address,
    () => `at ${addressOf(request, facts.peer, limits?.client_header)}`,
    request,
    facts,
  )
}

function take(
  rate: string | null | undefined,
  keyOf: () => string,
  request: RequestLike,
  { memo, peer, now, workspace: { limits } }: LimitContext,
): void {
  if (rate == null || isLocal(request, peer, limits?.client_header)) return
  const waitMs = memo.buckets.take(keyOf(), parseRate(rate) as Rate, now())
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw new ServiceError(429, `More than ${rate} requests; try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
