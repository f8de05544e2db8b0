import type { ModelValue } from '../../models/all/models.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { restOf } from '../../rules/event_rest.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Sql, SqlError, sql } from '../../sql/port.ts'
import { among, asNumber, field, onlyRow, write } from '../../sql/query.ts'
import { ingestQuery, toEventRow } from '../../ledger/events/ingest_sql.ts'
import { partRows } from '../../ledger/events/parts.ts'
import { scoreRows } from '../../ledger/events/score_rows.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import { forgetIds, internEvents } from '../../ledger/events/interning.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { erasedAmong, hashForIngest } from '../../ledger/events/erased.ts'
import { type Job, type Manner, carryOut, ownsJob, noteInJob, writeInJob } from './job.ts'

export type Restored = Omit<ModelValue<'Restored'>, 'files'>

export interface Restorable {
  /** How many files they come from. */
  readonly files: number
  /** Days (UTC) since the epoch. */
  readonly days: readonly number[]
  /** At most 500 events each. */
  readonly batches: AsyncIterable<readonly StoredEvent[]>
}

/** Puts archived events back, but none that was erased. The roll-ups count them still, so these are left alone. */
export function restoreEvents(
  ledger: Ledger,
  { files, days, batches }: Restorable,
  manner: Omit<Manner, 'pace'>,
): Promise<Restored> {
  return carryOut(ledger, { kind: 'restore', subject: '' }, manner, async job => {
    let [seen, erased, gaps] = [0, 0, 0]
    for await (const events of batches) {
      erased += await restoreBatch(ledger, job, events)
      seen += events.length
    }
    const sums = await sumsOf(ledger.features)
    for (const day of days) {
      gaps += await closeGaps(ledger.sql, day)
      for (const { afterRestore } of sums) await afterRestore(ledger.sql, day)
    }
    return async row => {
      const inserted = row.events
      const counts = { inserted, skipped: Math.max(0, seen - inserted), ...(erased === 0 ? {} : { erased }) }
      return { details: { files, ...counts }, result: { ...counts, gaps } }
    }
  })
}

const MAX_LOOKUPS = 3

/** Returns how many of the events were erased. */
async function restoreBatch(ledger: Ledger, job: Job, events: readonly StoredEvent[]): Promise<number> {
  for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
    const ids = await internEvents(ledger, events)
    const rows = events.map((event, index) =>
      toEventRow(event, restOf(event), ids.scopeAt(index), ids.variantAt(index)),
    )
    const erased = await hashForIngest(
      ledger,
      rows.map(([run_id]) => run_id),
    )
    const query = ingestQuery(ledger.sql.dialect, rows, ids, {
      coming: 'back',
      counted: { holds: ownsJob(job), note: count => noteInJob(job, sql`events = events + ${count}`) },
      erased,
      parts: partRows(events, ids.variantOfPart),
      scores: scoreRows(events),
    })
    if ((await writeInJob(ledger.sql, job, query)).inserted !== undefined) {
      return (await erasedAmong(ledger.sql, erased)).size
    }
    forgetIds(ledger.memo)
  }
  throw new SqlError('serialization', 'the ids of releases and models changed while events were stored')
}

/** Closes the gaps of a day whose events are all there again, as the roll-ups count them. Returns what is left open. */
async function closeGaps(db: Sql, day: number): Promise<number> {
  const closing = [
    sql`DELETE FROM event_gaps WHERE day = ${day} AND (
        SELECT count(*) FROM run_events e WHERE e.scope = event_gaps.scope
          AND e.ts >= ${day * DAY_MS} AND e.ts < ${(day + 1) * DAY_MS}
      ) = (
        SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h WHERE h.scope = event_gaps.scope
          AND h.bucket >= ${(day * DAY_MS) / HOUR_MS} AND h.bucket < ${((day + 1) * DAY_MS) / HOUR_MS}
      )`,
  ]
  const left = onlyRow(sql`SELECT count(*) AS n FROM event_gaps WHERE day = ${day}`, field('n', asNumber))
  return write(db, among(closing, left))
}
