import type { IngestResult } from '../models/operations.ts'
import type { NormalEvent } from '../rules/run_event.ts'
import type { Ledger } from './ledger.ts'
import { internScopes, internVariants } from './interning.ts'
import { type EventRow, ingestStatements, supersededStatement, toEventRow } from './ingest_sql.ts'
import { addToCounter } from './counters.ts'

/**
 * Most events, and most characters of their JSON, that go into one atomic batch: in UTF-8 and escaped that is below the
 * 2 MB that D1 binds to a parameter.
 */
const CHUNK_EVENTS = 500
const CHUNK_CHARS = 600_000

/**
 * Stores events in order, in chunks that are atomic each, together with their roll-ups. An event whose run_id
 * is stored already is skipped. After a failure midway what is in stays; sending the same again completes it.
 */
export async function ingestEvents(ledger: Ledger, events: readonly NormalEvent[]): Promise<IngestResult> {
  let [inserted, skipped] = [0, 0]
  for (const chunk of chunksOf(events)) {
    const rows = await toRows(ledger, chunk)
    const count = await insertChunk(ledger, rows)
    inserted += count
    if (count === rows.length) continue
    skipped += rows.length - count
    await countSuperseded(ledger, rows)
  }
  return { inserted, skipped }
}

function* chunksOf(events: readonly NormalEvent[]): Generator<{ event: NormalEvent; json: string }[]> {
  let chunk: { event: NormalEvent; json: string }[] = []
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

async function toRows(
  { sql: db }: Ledger,
  chunk: readonly { event: NormalEvent; json: string }[],
): Promise<EventRow[]> {
  const events = chunk.map(({ event }) => event)
  const scopes = await internScopes(db, events)
  const variants = await internVariants(db, events)
  return chunk.map(({ event, json }) => toEventRow(event, json, scopes(event), variants(event)))
}

async function insertChunk({ sql: db }: Ledger, rows: readonly EventRow[]): Promise<number> {
  const { statements, insertedOf } = ingestStatements(db.dialect, rows)
  return insertedOf(await db.batch(statements))
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
