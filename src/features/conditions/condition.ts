import { isoTime } from '../../base/time.ts'
import type { Condition } from '../../ledger/assess/parts.ts'
import { clockError } from '../../ledger/trail/clock.ts'
import { MOVED } from '../../ledger/trail/pointers.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, asNumber, columns, mapped, onlyRow, orNull } from '../../sql/query.ts'
import { conditionReasons, conditionRows, freezesOf, isTimed, promotedFrom } from './rules.ts'

/**
 * The order of environments and freezes, from service.yaml. Rollbacks have no conditions: they are for when something is
 * wrong.
 */
export const CONDITION: Condition<number | null> = {
  keeps: ['promotes_from', 'freeze', 'clock'],
  reads({ workspace, sql: db }, { action, release, environment }) {
    const from = action === 'promote' ? promotedFrom(workspace, environment) : undefined
    return from && liveTime(release, from.environment, db.clock)
  },
  found({ workspace }, { action, environment }, { now, apart, doubt }, longest_ms = null) {
    if (action !== 'promote') return undefined
    const [from, freeze] = [promotedFrom(workspace, environment), freezesOf(workspace, environment)]
    if (from === undefined && freeze.length === 0) return undefined
    const conditions = {
      ...(from === undefined ? {} : { promotes_from: { ...from, longest_ms } }),
      ...(freeze.length === 0 ? {} : { freeze }),
    }
    if (!isTimed(conditions)) return conditions
    // A doubt is a reason to block, which is recorded.
    if (apart !== undefined) throw clockError(apart)
    return { ...conditions, clock: { at: isoTime(now), ...(doubt === undefined ? {} : { doubt }) } }
  },
  reasons: ({ gates = {}, evaluated_at }, decided) => conditionReasons(gates, decided, evaluated_at),
  explained: ({ gates = {}, evaluated_at }, decided) => conditionRows(gates, decided, evaluated_at),
}

/**
 * For how long a release was live in an environment without a break, up to now, by the database's clock alone; null where
 * it never was. Versions before noted the server's.
 */
function liveTime(release: Statement, environment: string, clock: Statement): Query<number | null> {
  const movedAt = sql`coalesce(a.decided_at, a.created_at)`
  const statement = sql`WITH moves AS (
      SELECT a.release_id, ${movedAt} AS moved_at, lead(${movedAt}) OVER (ORDER BY a.audit_seq) AS ended_at
      FROM actions a JOIN releases r ON r.agent_id = a.agent_id
      WHERE r.release_id = ${release} AND a.environment = ${environment} AND ${MOVED}
        AND (a.baseline_release_id IS NULL OR a.baseline_release_id <> a.release_id)
    ), live AS (
      SELECT coalesce(ended_at, ${clock}) - moved_at AS ms FROM moves WHERE release_id = ${release}
    )
    SELECT max(CASE WHEN ms < 0 THEN 0 ELSE ms END) AS longest_ms FROM live`
  return mapped(onlyRow(statement, columns({ longest_ms: orNull(asNumber) })), ({ longest_ms }) => longest_ms)
}
