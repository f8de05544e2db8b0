import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { restOf } from '../../rules/event_rest.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Sql, SqlError, sql } from '../../sql/port.ts'
import { ingestStatements, toEventRow } from '../events/ingest_sql.ts'
import { partRows } from '../events/parts_sql.ts'
import { scoreRows } from '../scores/rows.ts'
import { forgetIds, internEvents } from '../events/interning.ts'
import type { Ledger } from '../ledger.ts'

export interface Restored {
  readonly inserted: number
  /** Stored already, or of a time from which nothing was pruned. */
  readonly skipped: number
}

const MAX_LOOKUPS = 3

/** Puts archived events back, at most 500 of them. The roll-ups count them still, so these are left alone. */
export async function restoreEvents(
  ledger: Pick<Ledger, 'sql' | 'memo'>,
  events: readonly StoredEvent[],
): Promise<Restored> {
  for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
    const ids = await internEvents(ledger, events)
    const rows = events.map((event, index) =>
      toEventRow(event, restOf(event), ids.scopeAt(index), ids.variantAt(index)),
    )
    const { statements, insertedOf } = ingestStatements(ledger.sql.dialect, rows, ids, {
      coming: 'back',
      parts: partRows(events, ids.variantOfPart),
      scores: scoreRows(events),
    })
    const inserted = insertedOf(await ledger.sql.batch(statements))
    if (inserted !== undefined) return { inserted, skipped: events.length - inserted }
    forgetIds(ledger.memo)
  }
  throw new SqlError('serialization', 'the ids of releases and models changed while events were stored')
}

/** Closes the gaps of a day whose events are all there again, as the roll-ups count them. Returns what is left open. */
export async function closeGaps(db: Sql, day: number): Promise<number> {
  const [, left] = await db.batch([
    sql`DELETE FROM event_gaps WHERE day = ${day} AND (
        SELECT count(*) FROM run_events e WHERE e.scope = event_gaps.scope
          AND e.ts >= ${day * DAY_MS} AND e.ts < ${(day + 1) * DAY_MS}
      ) = (
        SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h WHERE h.scope = event_gaps.scope
          AND h.bucket >= ${(day * DAY_MS) / HOUR_MS} AND h.bucket < ${((day + 1) * DAY_MS) / HOUR_MS}
      )`,
    sql`SELECT count(*) AS n FROM event_gaps WHERE day = ${day}`,
  ])
  return Number(left!.rows[0]!.n)
}
