import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Ledger } from '../ledger.ts'
import { forgetIds, internEvents } from './interning.ts'
import { type EventRow, ingestStatements, supersededStatement, toEventRow } from './ingest_sql.ts'
import { partRows } from './parts_sql.ts'
import { countEvents } from '../tally.ts'
import { type Shadowed, shadowedRows } from './shadowed.ts'
import { refreshStatistics } from './statistics.ts'
import { addToCounter } from '../chain/counters.ts'
import { fitsBytes } from '../../base/text.ts'
import { SqlError, type Statement } from '../../sql/port.ts'

/** Most events, and most characters of their JSON, that go into one atomic batch. */
const CHUNK_EVENTS = 500
const CHUNK_CHARS = 600_000

/** Most bytes of a parameter: D1 binds 2 MB. What is escaped or no ASCII takes several to a character. */
const MOST_PARAM_BYTES = 1_900_000

/** What became of events. */
export interface Ingested {
  readonly inserted: number
  readonly skipped: number
  /** Those skipped whose run_id is stored with other content. */
  readonly shadowed: readonly Shadowed[]
}

/**
 * Stores events in order, in chunks that are atomic each, together with their roll-ups. An event whose run_id
 * is stored already is skipped. After a failure midway what is in stays; sending the same again completes it.
 */
export async function ingestEvents(ledger: Ledger, events: readonly StoredEvent[]): Promise<Ingested> {
  let [inserted, skipped] = [0, 0]
  const shadowed: Shadowed[] = []
  for (const chunk of chunksOf(events)) {
    for (const { rows, count } of await insertChunk(ledger, chunk)) {
      inserted += count
      countEvents(ledger.tally, 'stored', count)
      countEvents(ledger.tally, 'skipped', rows.length - count)
      if (count === rows.length) continue
      skipped += rows.length - count
      await countSuperseded(ledger, rows)
      shadowed.push(...(await shadowedRows(ledger.sql, rows)))
    }
  }
  await refreshStatistics(ledger, inserted)
  return { inserted, skipped, shadowed }
}

function* chunksOf(events: readonly StoredEvent[]): Generator<{ event: StoredEvent; json: string }[]> {
  let chunk: { event: StoredEvent; json: string }[] = []
  let chars = 0
  for (const event of events) {
    const json = JSON.stringify(event)
    if (chunk.length === CHUNK_EVENTS || (chunk.length > 0 && chars + json.length > CHUNK_CHARS)) {
      yield chunk
      chunk = []
      chars = 0
    }
    chunk.push({ event, json })
    chars += json.length
  }
  if (chunk.length > 0) yield chunk
}

/** How often ids are looked up anew that no longer mean what they meant. */
const MAX_LOOKUPS = 3

interface Inserted {
  readonly rows: readonly EventRow[]
  /** How many of them were new. */
  readonly count: number
}

/** Writes a chunk, in halves where it is too long for one parameter. */
async function insertChunk(
  ledger: Ledger,
  chunk: readonly { event: StoredEvent; json: string }[],
): Promise<Inserted[]> {
  const events = chunk.map(({ event }) => event)
  for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
    const ids = await internEvents(ledger, events)
    const rows = chunk.map(({ event, json }) =>
      toEventRow(event, json, ids.scopeOf(event), ids.variantOf(event)),
    )
    const parts = partRows(events, ids.variantOfPart)
    const { statements, insertedOf } = ingestStatements(ledger.sql.dialect, rows, ids, parts)
    if (chunk.length > 1 && statements.some(isTooLong)) {
      const half = Math.ceil(chunk.length / 2)
      const first = await insertChunk(ledger, chunk.slice(0, half))
      return [...first, ...(await insertChunk(ledger, chunk.slice(half)))]
    }
    const count = insertedOf(await ledger.sql.batch(statements))
    if (count !== undefined) return [{ rows, count }]
    forgetIds(ledger.memo)
  }
  throw new SqlError('serialization', 'the ids of releases and models changed while events were stored')
}

function isTooLong({ params }: Statement): boolean {
  return params.some(param => typeof param === 'string' && !fitsBytes(param, MOST_PARAM_BYTES))
}

/** A run_end behind a run_start of its run_id is lost by the rule that the first one wins: say so. */
async function countSuperseded(ledger: Ledger, rows: readonly EventRow[]): Promise<void> {
  const ends = rows.filter(row => row[4] === 1).map(row => row[0])
  if (ends.length === 0) return
  const { rows: found } = await ledger.sql.query(supersededStatement(ledger.sql.dialect, ends))
  if (found.length === 0) return
  await ledger.sql.batch([addToCounter('run_ends_dropped', found.length)])
  ledger.log('warn', 'run_end skipped: a run_start with the same run_id is stored already', {
    dropped: found.length,
    first_run_id: String(found[0]!.run_id),
  })
}
