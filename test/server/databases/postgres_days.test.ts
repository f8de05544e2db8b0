import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '../../../src/base/time.ts'
import { dayProblem, packDays } from '../../../src/ledger/events/days.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { ingest } from '../../support/services/requests.ts'
import { NOON, testService } from '../../support/services/service.ts'

test('a day is packed with what others were adding to it, in hours that it had and in new ones', async () => {
  const url = await temporaryDatabase()
  const db = openPostgres({ url: `${url}?max=2` })
  onTestFinished(() => db.close())
  const service = await testService({ sql: db })
  await importPrices(service)
  const release_id = await register(service)
  await ingest(service, [eventOf({ release_id, run_id: 'r1', at: NOON - 2 * DAY_MS })])
  const adding = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => adding.end())
  await adding.unsafe(`BEGIN; UPDATE rollup_hours SET runs = runs + 1;
    CREATE TEMPORARY TABLE added AS SELECT * FROM rollup_hours;
    UPDATE added SET bucket = bucket + 1; INSERT INTO rollup_hours SELECT * FROM added`)
  const packing = packDays(service.context, batch => batch())
  const waiting = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect.poll(() => rowsOf(service.sql, waiting), { timeout: 10_000 }).toHaveLength(1)
  await adding.unsafe('COMMIT')
  await packing
  expect(await rowsOf(service.sql, sql`SELECT runs FROM rollup_days`)).toEqual([{ runs: 4 }])
  expect(await dayProblem(service.sql)).toBeUndefined()
})
