import { badRequest } from '../../base/errors.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { firstRow, together, nullable } from '../../sql/query.ts'

/** Whether a row of the trail moved the pointer: its policy passed, or it was forced. As its index says it. */
export const MOVED = raw('(policy_passed = 1 OR forced = 1)')

/** The last decision that moved the pointer of a release's agent in an environment: the pointer must name its release. */
export function chosenStatement(releaseId: string, environment: string): Statement {
  return sql`SELECT a.release_id, a.action_id, a.action, a.actor, a.created_at FROM actions a JOIN releases r ON r.agent_id = a.agent_id
    WHERE r.release_id = ${releaseId} AND a.environment = ${environment} AND ${MOVED}
    ORDER BY a.audit_seq DESC LIMIT 1`
}

/** The same of a place, and its pointer: what `agreedPointer` compares. */
export function placeQuery(agentId: string, environment: string) {
  return together({
    pointer: firstRow(sql`SELECT p.release_id, b.release_id AS found, b.version, p.action_id
      FROM promoted_pointers p LEFT JOIN releases b ON b.release_id = p.release_id
      WHERE p.agent_id = ${agentId} AND p.environment = ${environment}`),
    chosen: firstRow(sql`SELECT release_id FROM actions
      WHERE agent_id = ${agentId} AND environment = ${environment} AND ${MOVED}
      ORDER BY audit_seq DESC LIMIT 1`),
  })
}

/**
 * The promoted release of a place, by its pointer and by the trail that the pointer follows from. Throws 400 where they
 * differ: a decision on either would be one on a ledger that somebody has changed. `pointer.found` is the release it
 * names, if there is one.
 */
export function agreedPointer(pointer: Row | undefined, chosen: Row | undefined): string | null {
  const [says, follows] = [releaseIn(pointer), releaseIn(chosen)]
  if (pointer?.found === null) throw badRequest(`Promoted baseline release is missing: ${says}`)
  if (says === follows) return says
  throw badRequest(
    `The promoted pointer is ${says ?? 'missing'}, but the last passed decision chose ${follows ?? 'none'}: the ledger ` +
      'was changed by another program. `svc doctor` says more, `svc rollups rebuild` follows the audit trail.',
  )
}

function releaseIn(row: Row | undefined): string | null {
  return nullable(row?.release_id, String)
}

/** The last decision of each place that moved its pointer. */
export const CHOSEN = sql`SELECT a.agent_id, a.environment, a.release_id, a.action_id
  FROM (
    SELECT max(audit_seq) AS audit_seq FROM actions WHERE ${MOVED} GROUP BY agent_id, environment
  ) AS newest
  JOIN actions a ON a.audit_seq = newest.audit_seq`

/** Puts each pointer where the trail says. One that no decision set stays, for the doctor to name. */
export const RESTORE_POINTERS = sql`INSERT INTO promoted_pointers (agent_id, environment, release_id, action_id)
  SELECT agent_id, environment, release_id, action_id FROM (${CHOSEN}) AS chosen WHERE true
  ON CONFLICT (agent_id, environment) DO UPDATE SET
    release_id = excluded.release_id, action_id = excluded.action_id`
