import { badRequest } from '../../base/errors.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asText, asTime, columns, mapped, onlyRow, orNull } from '../../sql/query.ts'

/** Whether a row of the trail moved the pointer: its policy passed, or it was forced. As its index says it. */
export const MOVED = raw('(policy_passed = 1 OR forced = 1)')

/** Finds the decision that made the release of the pointer `p` live: its audit_seq. A decision that chose it again doesn't count. */
export const madeLive = (action?: 'promote'): Statement => sql`(SELECT max(b.audit_seq) FROM actions b
  WHERE b.agent_id = p.agent_id AND b.environment = p.environment AND ${MOVED} AND b.release_id = p.release_id
    AND (b.baseline_release_id IS NULL OR b.baseline_release_id <> b.release_id)
    ${action === undefined ? sql`` : sql`AND b.action = ${action}`})`

/** The release that is live in a place, and the decision that made it so. */
export interface Live {
  readonly release_id: string
  readonly version: string
  readonly action_id: string
  readonly action: 'promote' | 'rollback'
  readonly actor: string
  readonly created_at: string
}

/** The pointer of a place, and the last decision that moved it. `version` is null where its release is missing. */
export interface PointerState {
  readonly pointer: { readonly release_id: string; readonly version: string | null } | undefined
  readonly chosen: Omit<Live, 'version'> | undefined
}

/** Reads what {@link verifiedPointer} compares. `agent` is an expression: an agent_id, or how it is found. */
export function placeQuery(agent: Statement, environment: string): Query<PointerState> {
  const place = sql`agent_id = ${agent} AND environment = ${environment}`
  const both = onlyRow(
    sql`SELECT p.release_id AS pointed_id, b.version, a.release_id, a.action_id, a.action, a.actor, a.created_at
      FROM (SELECT 1 AS one) AS place
      LEFT JOIN (SELECT release_id FROM promoted_pointers WHERE ${place}) AS p ON true
      LEFT JOIN releases b ON b.release_id = p.release_id
      LEFT JOIN (SELECT release_id, action_id, action, actor, created_at FROM actions
        WHERE ${place} AND ${MOVED} ORDER BY audit_seq DESC LIMIT 1) AS a ON true`,
    row => ({ pointer: readPointer(row), chosen: row.action_id === null ? undefined : readChosen(row) }),
  )
  return mapped(both, ({ pointer: { pointed_id, version }, chosen }) => ({
    pointer: pointed_id === null ? undefined : { release_id: pointed_id, version },
    chosen,
  }))
}

/** Decisions of a place that are read for what was live earlier. */
const MOST_MOVES = 200

/** What was live in a place earlier, newest first, and whether a rollback replaced it. */
export function earlierLive(
  agent: string,
  environment: string,
): Query<{ readonly release_id: string; readonly rolled_back: boolean }[]> {
  const moves = allRows(
    sql`SELECT release_id, baseline_release_id, action FROM actions
      WHERE agent_id = ${agent} AND environment = ${environment} AND ${MOVED}
      ORDER BY audit_seq DESC LIMIT ${MOST_MOVES}`,
    columns({ release_id: asText, baseline_release_id: orNull(asText), action: asText }),
  )
  return mapped(moves, found => {
    const ended = new Map<string, boolean>()
    for (const { baseline_release_id: replaced, action } of found) {
      if (replaced === null || replaced === found[0]!.release_id || ended.has(replaced)) continue
      ended.set(replaced, action === 'rollback')
    }
    return [...ended].map(([release_id, rolled_back]) => ({ release_id, rolled_back }))
  })
}

const readPointer = columns({ pointed_id: orNull(asText), version: orNull(asText) })
const readChosen = columns({
  release_id: asText,
  action_id: asText,
  action: asText<Live['action']>,
  actor: asText,
  created_at: asTime,
})

/**
 * What is live in a place, by its pointer and by the trail that the pointer follows from; null where nothing is. Throws
 * 400 where they differ: a decision on either would be one on a ledger that another program has changed.
 */
export function verifiedPointer({ pointer, chosen }: PointerState): Live | null {
  if (pointer !== undefined && pointer.version === null) {
    throw badRequest(`Promoted baseline release is missing: ${pointer.release_id}`)
  }
  if (pointer?.release_id !== chosen?.release_id) {
    throw badRequest(
      `The promoted pointer is ${pointer?.release_id ?? 'missing'}, but the last passed decision chose ` +
        `${chosen?.release_id ?? 'none'}: the ledger was changed by another program. \`svc doctor\` says more, ` +
        '`svc rollups rebuild` follows the audit trail.',
    )
  }
  return chosen === undefined ? null : { ...chosen, version: pointer!.version! }
}

/** The last decision of each place that moved its pointer. */
export const CHOSEN = sql`SELECT a.agent_id, a.environment, a.release_id, a.action_id
  FROM (
    SELECT max(audit_seq) AS audit_seq FROM actions WHERE ${MOVED} GROUP BY agent_id, environment
  ) AS newest
  JOIN actions a ON a.audit_seq = newest.audit_seq`

/** The pointers that aren't where the trail says, a text each. */
export const MOVED_POINTERS = allRows(
  sql`SELECT chosen.agent_id, chosen.environment, chosen.release_id, p.release_id AS pointer FROM (${CHOSEN}) AS chosen
    LEFT JOIN promoted_pointers p ON p.agent_id = chosen.agent_id AND p.environment = chosen.environment
    WHERE p.release_id IS NULL OR p.release_id <> chosen.release_id ORDER BY chosen.agent_id, chosen.environment`,
  row =>
    `the pointer of ${String(row.agent_id)} in ${String(row.environment)} is ` +
    `${row.pointer === null ? 'missing' : String(row.pointer)}, but the last passed decision chose ${String(row.release_id)}`,
)

/** Puts each pointer where the trail says. One that no decision set stays, for the doctor to name. */
export const RESTORE_POINTERS = sql`INSERT INTO promoted_pointers (agent_id, environment, release_id, action_id)
  SELECT agent_id, environment, release_id, action_id FROM (${CHOSEN}) AS chosen WHERE true
  ON CONFLICT (agent_id, environment) DO UPDATE SET
    release_id = excluded.release_id, action_id = excluded.action_id`
