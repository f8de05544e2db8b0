import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { acceptEvent } from '../../../src/models/all/parse_event.ts'
import { ingestEvents } from '../../../src/ledger/events/ingest.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { MORNING, type PlainLedger, plainLedger } from '../../support/ledgers/plain_ledger.ts'
import { eventOf } from '../../support/services/builders.ts'
import { erase } from '../../support/services/retention.ts'

test('what is sent again while it is erased is not stored again by a statement that began before', async () => {
  const url = await temporaryDatabase()
  const [first, second] = [await open(url), await open(url, 1000)]
  await send(first, ['x'])
  // Holds up who stores `a`: a statement that has seen neither a hash nor that `x` is gone.
  const holding = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => holding.end())
  await holding.unsafe(`BEGIN; INSERT INTO run_events (run_id, scope, variant, ts, is_end, tenant_id, task_id, success,
    input_tokens, output_tokens, cached_input_tokens, event_json) VALUES ('a', 1, 1, 0, 1, '', '', 1, 0, 0, 0, '')`)
  const sending = send(second, ['a', 'x'])
  await waiting(first, 1)
  const erasing = erase(first, 't1')
  await Promise.race([erasing, waiting(first, 2)])
  await holding.unsafe('ROLLBACK')
  expect(await sending).toMatchObject({ inserted: 1 })
  expect(await erasing).toMatchObject({ events: 1 })
  const [sums] = await rowsOf(first.sql, sql`SELECT sum(runs) AS runs FROM rollup_hours`)
  expect({ sums, rows: await rowsOf(first.sql, sql`SELECT run_id FROM run_events`) }).toEqual({
    sums: { runs: 2 },
    rows: [{ run_id: 'a' }],
  })
})

async function open(url: string, firstId?: number): Promise<PlainLedger> {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return plainLedger({}, { sql: db, ...(firstId === undefined ? {} : { firstId }) })
}

function send(ledger: PlainLedger, runIds: readonly string[]) {
  const events = runIds.map(run_id => acceptEvent(eventOf({ release_id: 'rel_a', run_id, at: MORNING }))!)
  return ingestEvents(ledger, events)
}

/** Until so many sessions of the database wait for a lock. */
async function waiting({ sql: db }: PlainLedger, wanted: number): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await rowsOf(
        db,
        sql`SELECT count(*) AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return row!.n
    })
    .toBe(wanted)
}
