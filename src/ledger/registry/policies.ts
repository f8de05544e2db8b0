import type { Policy } from '../../models/documents/policy.ts'
import { type HeldPolicy, type Place, resolveOverrides } from '../../rules/scope.ts'
import { DEFAULT_POLICY } from '../../rules/default_policy.ts'
import { type Row, type Sql, sql } from '../../sql/port.ts'
import { type Query, ask } from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'

/** The policy in force: the last of the history, or the default. There is no other place that says which it is. */
export const ACTIVE_POLICY: Query<Policy> = {
  statements: [sql`SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1`],
  read: ([result]) => toPolicy(result!.rows[0]),
}

export async function activePolicy(db: Sql): Promise<Policy> {
  return ask(db, ACTIVE_POLICY)
}

export function toPolicy(row: Row | undefined): Policy {
  return row === undefined ? DEFAULT_POLICY : (JSON.parse(String(row.policy_json)) as Policy)
}

/** What a policy says in a place; its overrides are told with the checksum of the whole. */
export async function policyIn(document: Policy, place: Place): Promise<HeldPolicy> {
  const { policy, rules } = resolveOverrides(document, place)
  if (document.overrides === undefined) return { policy }
  return { policy, scope: { policy_checksum: await sha256(JSON.stringify(document)), rules } }
}
