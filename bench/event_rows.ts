import type { EventRow } from '../src/ledger/ingest_sql.ts'
import { type NormalEvent, eventNumbers } from '../src/rules/run_event.ts'
import { type Sql, rowsOf, sql } from '../src/sql/port.ts'

export type IdOf = (kind: 'scope' | 'variant', key: string) => number

/** The ids that the ledger has given to releases and models of bench events. */
export async function internedIds(db: Sql): Promise<IdOf> {
  const rows = await rowsOf(
    db,
    sql`SELECT 'scope ' || release_id AS name, id FROM scopes UNION ALL SELECT 'variant ' || model, id FROM variants`,
  )
  const ids = new Map(rows.map(row => [String(row.name), Number(row.id)]))
  return (kind, key) => ids.get(`${kind} ${key}`)!
}

/** The row that the ledger stores for an event. */
export function toRow(event: NormalEvent, idOf: IdOf): EventRow {
  const numbers = eventNumbers(event)
  return [
    event.run_id,
    idOf('scope', event.release_id),
    idOf('variant', event.usage.model.model),
    numbers.ts,
    1,
    event.tenant_id,
    event.task_id,
    numbers.success,
    numbers.latency_ms,
    numbers.input_tokens,
    numbers.output_tokens,
    numbers.cached_input_tokens,
    event.request?.session_id ?? null,
    event.request?.trace_id ?? null,
    event.request?.span_id ?? null,
    JSON.stringify(event),
  ]
}
