import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { expectSound } from '../../crash/verify.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { emptyDatabase, temporaryDatabase } from '../../support/databases/postgres.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { ingest, ok, promote } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'
import { shared } from '../../support/shared.ts'

const run = promisify(execFile)

test('a dump that is taken while servers write is a sound ledger, which goes on', async ({ skip }) => {
  skip(!(await canDump()), 'there is no pg_dump of this server’s version or a later one')
  const url = await temporaryDatabase()
  const service = await testService({ sql: open(url) })
  await importPrices(service)
  const releases = [await register(service), await register(service, { version: '2' })] as const
  const state = { isOver: false, written: 0 }
  const writing = (async () => {
    for (; !state.isOver || state.written < 20; state.written++) {
      await ingest(service, [eventOf({ release_id: releases[0], run_id: `run-${state.written}` })])
      await promote(service, releases[state.written % 2]!)
    }
  })()
  while (state.written < 10) await new Promise(resolve => setImmediate(resolve))
  const file = join(temporaryFolder(), 'ledger.dump')
  await run('pg_dump', ['--format=custom', `--file=${file}`, url])
  state.isOver = true
  await writing

  const { written } = state
  const restored = await emptyDatabase()
  await run('pg_restore', ['--no-owner', `--dbname=${restored}`, file])
  const db = open(restored)
  const before = (await expectSound(db)).length
  expect(before).toBeGreaterThan(0)
  const again = await testService({ sql: db, firstId: 10_000 })
  again.clock.now += 1000
  const [{ n }] = (await rowsOf(db, sql`SELECT count(*) AS n FROM run_events`)) as [{ n: number }]
  const events = Array.from({ length: written }, (_, index) =>
    eventOf({ release_id: releases[0], run_id: `run-${index}` }),
  )
  expect(await ingest(again, events)).toMatchObject({ inserted: written - n, skipped: n })
  await ok(promote(again, releases[0], { environment: 'elsewhere' }))
  expect(await expectSound(db)).toHaveLength(before + 1)
})

/** pg_dump refuses servers that are newer than itself. */
async function canDump(): Promise<boolean> {
  try {
    const own = Number(/\d+/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))![0])
    const db = open((await shared('postgres')).url)
    const [{ version }] = (await rowsOf(
      db,
      sql`SELECT current_setting('server_version_num') AS version`,
    )) as [{ version: string }]
    return own >= Math.floor(Number(version) / 10_000)
  } catch {
    return false
  }
}

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
