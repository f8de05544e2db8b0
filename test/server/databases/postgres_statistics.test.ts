import { expect, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { copy } from '../../support/databases/copying.ts'
import { temporaryPostgres } from '../../support/databases/postgres.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { ingest } from '../../support/services/requests.ts'
import { type TestService, testService } from '../../support/services/service.ts'

test('after the first thousand events the planner knows what is there, autovacuum or not', async () => {
  const db = await temporaryPostgres()
  const { service, release_id } = await gate(db)
  await ingest(service, eventsOf(release_id, 0, 900))
  await forget(db)
  await ingest(service, eventsOf(release_id, 900, 200))
  expect(await counted(db)).toBe(1100)
  expect(service.logged).toEqual([])
})

test('what is counted well enough is not counted again', async () => {
  const db = await temporaryPostgres()
  const { service, release_id } = await gate(db)
  await ingest(service, eventsOf(release_id, 0, 900))
  await db.batch([sql`ANALYZE run_events`])
  await ingest(service, eventsOf(release_id, 900, 200))
  expect(await counted(db)).toBe(900)
})

test('a copied ledger is counted', async () => {
  const [source, target] = [await temporaryPostgres(), await temporaryPostgres()]
  const { service, release_id } = await gate(source)
  await ingest(service, eventsOf(release_id, 0, 300))
  await copy(source, target)
  expect(await counted(target)).toBe(300)
})

async function gate(db: Sql): Promise<{ service: TestService; release_id: string }> {
  const service = await testService({ sql: db })
  await importPrices(service)
  return { service, release_id: await register(service) }
}

function eventsOf(release_id: string, from: number, count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, n) => eventOf({ release_id, run_id: `run-${from + n}` }))
}

/** As a table that nothing has ever counted; what used the database before may have. */
async function forget(db: Sql): Promise<void> {
  await db.batch([sql`UPDATE pg_class SET reltuples = -1 WHERE oid = 'run_events'::regclass`])
}

async function counted(db: Sql): Promise<number> {
  const [row] = await rowsOf(
    db,
    sql`SELECT CAST(reltuples AS BIGINT) AS known FROM pg_class WHERE oid = 'run_events'::regclass`,
  )
  return Number(row!.known)
}
