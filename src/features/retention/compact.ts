import { type EventColumns, eventText, isWholeText, restOf } from '../../rules/event_rest.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, jsonRows } from '../../sql/query.ts'
import { PLACED_COLUMNS } from '../../ledger/events/event_texts.ts'

export interface CompactOptions {
  /** Called between batches; others write meanwhile. */
  readonly pause: () => Promise<void>
}

export interface Compacted {
  readonly rewritten: number
  /** Rows whose text can't be rebuilt from their columns, and stays as it is. */
  readonly left: number
}

/** Rows of a batch: whoever writes at the same time waits for one of these. */
const BATCH = 500

/**
 * Rewrites events that were stored with their whole text, so that they keep only what their columns don't hold. In
 * batches that are whole each, while others read and write; run again, it goes on. A text that would not come back byte
 * for byte is left.
 */
export async function compactEvents(db: Sql, { pause }: CompactOptions): Promise<Compacted> {
  let [rewritten, left] = [0, 0]
  for (let seq = 0; ;) {
    const page = sql`SELECT e.seq, ${PLACED_COLUMNS}
      FROM run_events e JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
      WHERE e.seq > ${seq} AND e.event_json LIKE '{%' ORDER BY e.seq LIMIT ${BATCH}`
    const rows = await ask(
      db,
      allRows(page, row => ({ seq: asNumber(row.seq), rest: equivalentRest(row) })),
    )
    if (rows.length === 0) return { rewritten, left }
    seq = rows.at(-1)!.seq
    const smaller = rows.flatMap(row => (row.rest === undefined ? [] : [[row.seq, row.rest] as const]))
    if (smaller.length > 0) await db.batch([replaceStatement(db.dialect, smaller)])
    rewritten += smaller.length
    left += rows.length - smaller.length
    await pause()
  }
}

/** The short form of the text of a row; undefined where the text would not come back as it was. */
function equivalentRest(row: Row): string | undefined {
  const columns = row as unknown as EventColumns
  const rest = restOf(JSON.parse(columns.event_json) as StoredEvent)
  const isSame = !isWholeText(rest) && eventText({ ...columns, event_json: rest }) === columns.event_json
  return isSame ? rest : undefined
}

function replaceStatement(dialect: Sql['dialect'], rests: readonly (readonly [number, string])[]): Statement {
  return sql`UPDATE run_events SET event_json = given.value ->> 1 FROM ${jsonRows(dialect, rests, 'given')}
    WHERE run_events.seq = CAST(given.value ->> 0 AS BIGINT) AND run_events.event_json LIKE '{%'`
}
