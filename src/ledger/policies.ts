import type { Policy } from '../models/policy.ts'
import { DEFAULT_POLICY } from '../rules/policy.ts'
import { type Row, type Sql, sql } from '../sql/port.ts'
import { reviseHead } from './audit.ts'
import { commitOnce } from './commit.ts'
import type { Actor, Ledger } from './ledger.ts'

/** Puts a policy in force. One with the same policy_id is overwritten; the history keeps both. */
export async function setPolicy(ledger: Ledger, policy: Policy, actor: Actor): Promise<Policy> {
  const ordered = { ...DEFAULT_POLICY, ...policy }
  const policyJson = JSON.stringify(ordered)
  const at = ledger.now()
  const record = sql`policy_id = ${policy.policy_id} AND policy_json = ${policyJson}
    AND actor = ${actor.name} AND actor_source = ${actor.source} AND created_at = ${at}`
  const statements = [
    reviseHead(ledger.newId('pol_')),
    // Sent again after its answer was lost, it is one change nevertheless.
    sql`INSERT INTO policy_history (policy_id, policy_json, actor, actor_source, created_at)
      SELECT ${policy.policy_id}, ${policyJson}, ${actor.name}, ${actor.source}, CAST(${at} AS BIGINT)
      WHERE NOT EXISTS (SELECT 1 FROM policy_history WHERE ${record})`,
    // Later than every other, even within one millisecond or after a clock was set back.
    sql`INSERT INTO policies (policy_id, policy_json, updated_at)
      SELECT ${policy.policy_id}, ${policyJson},
        CASE WHEN latest >= ${at} THEN latest + 1 ELSE CAST(${at} AS BIGINT) END
      FROM (SELECT coalesce(max(updated_at), 0) AS latest FROM policies) AS last
      WHERE true
      ON CONFLICT (policy_id) DO UPDATE SET
        policy_json = excluded.policy_json, updated_at = excluded.updated_at`,
  ]
  return (await commitOnce(
    ledger.sql,
    statements,
    () => ordered,
    async () => ordered,
  ))!
}

export const ACTIVE_POLICY = sql`SELECT policy_json FROM policies ORDER BY updated_at DESC LIMIT 1`

/** The policy in force: the one set last, or the default. */
export async function activePolicy(db: Sql): Promise<Policy> {
  const { rows } = await db.query(ACTIVE_POLICY)
  return toPolicy(rows[0])
}

export function toPolicy(row: Row | undefined): Policy {
  return row === undefined ? DEFAULT_POLICY : (JSON.parse(String(row.policy_json)) as Policy)
}
