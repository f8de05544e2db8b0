import type { Policy } from '../../models/documents/policy.ts'
import { type StoredPolicy, type Place, resolveOverrides, DEFAULT_POLICY } from '../../rules/scope.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, ask, mapped } from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'
import { LAST_POLICY } from './last_policy.ts'

/** The policy in force: the last of the history, or the default. There is no other place that says which it is. */
export const ACTIVE_POLICY: Query<Policy> = mapped(LAST_POLICY, found => found ?? DEFAULT_POLICY)

export async function activePolicy(db: Sql): Promise<Policy> {
  return ask(db, ACTIVE_POLICY)
}

/** What a policy says in a place; its overrides are named with the checksum of the whole. */
export async function policyIn(document: Policy, place: Place): Promise<StoredPolicy> {
  const { policy, rules } = resolveOverrides(document, place)
  if (document.overrides === undefined) return { policy }
  return { policy, scope: { policy_checksum: await sha256(JSON.stringify(document)), rules } }
}
