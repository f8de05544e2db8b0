import { COUNTED } from '../../ledger/trail/counters.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asJson, asNumber, ask, asText, columns, field, onlyRow, together } from '../../sql/query.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import type { Progress } from '../../ledger/world/ledger.ts'
import { digestProblems } from './digests.ts'

export const CHECKS: readonly Check[] = [
  { name: 'event_digests', deep: true, run: (db, { onProgress }) => checkDigests(db, onProgress) },
]

/** Events of hours that the audit log has a hash of. */
async function checkDigests(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'event_digests'
  const { verified, incomplete, missing, problem } = await digestProblems(db, onProgress)
  if (problem !== undefined) return fail(name, problem)
  const lacking = incomplete === 0 ? '' : `; of ${incomplete} hours some events were pruned or erased`
  const detail = `${verified} hours are as they came in${lacking}`
  const { gone, removed, restored } = await removals(db)
  // A killed removal of an older version left the same: it wrote its entry at the end only.
  const unlogged = [
    [missing, removed],
    [gone, removed - restored],
  ].find(([found, logged]) => found! > logged!)
  if (unlogged === undefined) return pass(name, detail)
  const text = `${detail}; ${unlogged[0]} events are gone, and the audit log tells of ${unlogged[1]}`
  return { name, ok: true, detail: text, warning: true }
}

/**
 * How many events are gone that the roll-ups count, how many were ever removed, and how many of those were put back, as
 * the audit log and what is under way tell it. What was put back has other numbers than it had: digests lack it still.
 */
async function removals(db: Sql): Promise<{ gone: number; removed: number; restored: number }> {
  const { counts, jobs, entries } = await ask(
    db,
    together({
      counts: onlyRow(
        sql`SELECT (${raw(COUNTED.run_events_total!)}) AS counted, (SELECT count(*) FROM run_events) AS stored`,
        columns({ counted: asNumber, stored: asNumber }),
      ),
      jobs: allRows(
        sql`SELECT kind, events FROM retention_jobs`,
        columns({ kind: asText, events: asNumber }),
      ),
      entries: allRows(
        sql`SELECT record_json FROM audit_log
          WHERE kind IN ('events.pruned', 'events.erased', 'events.restored') AND kind <> 'decision' ORDER BY log_seq`,
        field('record_json', asJson<LogRecord>),
      ),
    }),
  )
  const ended = entries.map(({ kind, details }) => ({
    isBack: kind === 'events.restored',
    events: Number(details.events ?? details.inserted),
  }))
  const open = jobs.map(({ kind, events }) => ({ isBack: kind === 'restore', events }))
  const sumOf = (isBack: boolean): number =>
    [...ended, ...open].filter(each => each.isBack === isBack).reduce((sum, { events }) => sum + events, 0)
  return { gone: counts.counted - counts.stored, removed: sumOf(false), restored: sumOf(true) }
}
