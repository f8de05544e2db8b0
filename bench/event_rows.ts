import { FEATURES } from '../src/entry/features.ts'
import { type EventRow, toEventRow } from '../src/ledger/events/ingest_sql.ts'
import { sumsOf } from '../src/ledger/events/rebuild.ts'
import { restOf } from '../src/rules/event_rest.ts'
import type { StoredEvent } from '../src/models/documents/stored_event.ts'
import { CLOCK } from '../src/sql/dialect.ts'
import { type Sql, type Statement, rowsOf, sql } from '../src/sql/port.ts'

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
export function toRow(event: StoredEvent, idOf: IdOf): EventRow {
  const ids = [idOf('scope', event.release_id), idOf('variant', event.usage.model.model)] as const
  return toEventRow(event, restOf(event), ...ids)
}

const SUMS = await sumsOf(FEATURES)

/** What features do with the events of a batch, as part of the statements that store these. */
export function further(added: Statement): Statement[] {
  return SUMS.map(({ onStored }) => onStored({ clock: CLOCK }, added))
}
