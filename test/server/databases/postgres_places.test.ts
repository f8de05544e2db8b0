import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { register } from '../../support/services/builders.ts'
import { ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

test('what the board keeps waits for no decision, and no decision waits for it', async () => {
  const url = await temporaryDatabase()
  const db = openPostgres({ url: `${url}?max=2` })
  onTestFinished(() => db.close())
  const service = await testService({ sql: db })
  for (const agent of ['held', 'free']) await register(service, { agent })
  const deciding = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => deciding.end())
  await deciding.unsafe("BEGIN; UPDATE place_answers SET changes = changes + 1 WHERE agent_id = 'held'")

  const boards = Array.from({ length: 20 }, () => ok(service.call('GET /v1/board')))
  for (const { board } of await Promise.all(boards)) expect(board).toHaveLength(2)
  const kept = sql`SELECT agent_id FROM place_answers WHERE facts_stamp IS NOT NULL`
  await expect.poll(() => rowsOf(service.sql, kept), { timeout: 10_000 }).toEqual([{ agent_id: 'free' }])
  const waiting = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  expect(await rowsOf(service.sql, waiting)).toEqual([])

  await deciding.unsafe('COMMIT')
  await ok(service.call('GET /v1/board'))
  await expect.poll(() => rowsOf(service.sql, kept), { timeout: 10_000 }).toHaveLength(2)
})
