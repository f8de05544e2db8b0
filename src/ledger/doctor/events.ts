import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import type { LogRecord } from '../trail/log.ts'
import { scopeProblems } from '../events/event_ids.ts'
import { rollupFaults } from '../events/rebuild.ts'
import { blockProblem } from '../events/block_notes.ts'
import type { AnyFeature } from '../world/feature.ts'
import type { Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

export async function checkRollups(
  db: Sql,
  features: readonly AnyFeature[],
  onProgress?: Progress,
): Promise<DoctorCheck> {
  const name = 'rollups'
  const { problems, lacking } = await rollupFaults(db, features, onProgress)
  const mark = await markProblem(db)
  const block = db.dialect === 'sqlite' ? await blockProblem(db, onProgress) : undefined
  const faults = [...problems, ...(block === undefined ? [] : [block])]
  if (faults.length > 0) return fail(name, `${faults.join('; ')}; repair with \`svc rollups rebuild\``)
  if (mark !== undefined) return fail(name, mark)
  const older = `; ${lacking} spans of time lack sums that an older version did not store: \`svc rollups rebuild\` adds them`
  return pass(name, `equal to the raw events${lacking === 0 ? '' : older}`)
}

/** The mark of SQLite is the newest event, or that which was it before it was pruned or erased. */
async function markProblem(db: Sql): Promise<string | undefined> {
  if (db.dialect !== 'sqlite') return undefined
  const [row] = await rowsOf(
    db,
    sql`SELECT (SELECT seq FROM rollup_mark WHERE id = 1) AS mark, (SELECT coalesce(max(seq), 0) FROM run_events) AS last,
      (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run_events') AS given`,
  )
  const { mark, last, given } = row!
  const isRight = mark !== null && Number(mark) >= Number(last) && Number(mark) <= Number(given)
  return isRight ? undefined : `the mark of the roll-ups is ${mark}, but the newest event is ${last}`
}

/** Events and roll-ups name scopes and variants by ids: each has to be there, and to be what the event itself says. */
export async function checkScopes(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const problems = await scopeProblems(db, onProgress)
  return problems.length === 0
    ? pass('event_ids', 'releases and models of all events are as their texts say')
    : fail('event_ids', problems.join('; '))
}

/** Days that are said not to be whole are not, and what was pruned is what the audit log says. */
export async function checkGaps(db: Sql): Promise<DoctorCheck> {
  const name = 'event_gaps'
  const [state, pruned, restored] = await db.snapshot([
    sql`SELECT events_before FROM retention WHERE id = 1`,
    sql`SELECT record_json FROM audit_log WHERE kind = 'events.pruned' AND kind <> 'decision'
      ORDER BY log_seq DESC LIMIT 1`,
    sql`SELECT 1 FROM audit_log WHERE kind IN ('events.restoring', 'events.restored') AND kind <> 'decision' LIMIT 1`,
  ])
  const row = state!.rows[0]
  if (row === undefined) return fail(name, 'retention has no row')
  const before = Number(row.events_before)
  if (before % DAY_MS !== 0) return fail(name, 'retention says that it ended within a day')
  const last = pruned!.rows[0]
  const said = last === undefined ? 0 : Date.parse(beforeOf(String(last.record_json)))
  if (before < said) return fail(name, 'events were pruned up to a later day than retention says')
  const [whole, untold] = await db.snapshot([fullGaps(before), untoldDays(before)])
  const gap = whole!.rows[0]
  if (gap !== undefined) return fail(name, `scope ${gap.scope}, day ${gap.day}: all events are there`)
  const day = untold!.rows[0]
  if (day !== undefined && restored!.rows.length === 0) {
    const detail = `scope ${day.scope}, day ${day.day} is before what retention keeps, but neither pruned nor restored`
    return { name, ok: true, detail, warning: true }
  }
  return pass(name, 'days that are not whole lack events')
}

function beforeOf(recordJson: string): string {
  return String((JSON.parse(recordJson) as LogRecord).details.before)
}

/** Gaps of the time that is kept, of which nothing is missing: what was pruned may have been restored. */
function fullGaps(before: number) {
  return sql`SELECT g.scope, g.day FROM event_gaps g WHERE g.day >= ${Math.ceil(before / DAY_MS)}
    AND (SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h
      WHERE h.scope = g.scope AND h.bucket >= g.day * 24 AND h.bucket < (g.day + 1) * 24)
    <= (SELECT count(*) FROM run_events e
      WHERE e.scope = g.scope AND e.ts >= g.day * 86400000 AND e.ts < (g.day + 1) * 86400000)
    ORDER BY g.scope, g.day LIMIT 1`
}

/** Days before what is kept that no pruning has marked. */
function untoldDays(before: number) {
  return sql`SELECT h.scope, h.bucket / 24 AS day FROM rollup_hours h
    WHERE h.bucket < ${Math.floor(before / HOUR_MS)}
      AND NOT EXISTS (SELECT 1 FROM event_gaps g WHERE g.scope = h.scope AND g.day = h.bucket / 24) LIMIT 1`
}
