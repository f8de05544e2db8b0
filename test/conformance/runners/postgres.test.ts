import { expect, onTestFinished, test } from 'vitest'
import { checkKnownValues, durabilityCheck } from '../../../src/ledger/doctor/doctor.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, raw, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { emptyDatabase, postgresService, temporaryDatabase } from '../../support/databases/postgres.ts'
import { appendOnlyContract } from '../suite/append_only.ts'
import { sqlPortContract } from '../suite/sql_port.ts'

// A migrated database serves as well as an empty one, and is at hand sooner.
sqlPortContract(async () => {
  const url = await temporaryDatabase()
  const janitor = open(url)
  onTestFinished(async () => void (await janitor.batch([sql`DROP TABLE things`])))
  return open(url)
})

appendOnlyContract(postgresService)

test.each(['actions', 'releases', 'pricing_imports', 'policy_history'])(
  'the database refuses to empty %s',
  async table => {
    const db = open(await temporaryDatabase())
    const truncate = { text: `TRUNCATE ${table} CASCADE`, params: [] }
    await expect(db.batch([truncate])).rejects.toMatchObject({ kind: 'other' })
  },
)

test('eight connections that migrate an empty database at once all succeed', async () => {
  const url = await emptyDatabase()
  const migrations = loadMigrations({ dialect: 'postgres' })
  const all = Array.from({ length: 8 }, () => migrate(open(url), migrations, Date.now))
  expect(await Promise.all(all)).toEqual(all.map(() => migrations.at(-1)!.version))
})

test('without prepared statements, as poolers want it, all works the same', async () => {
  const db = open(`${await temporaryDatabase()}?prepare=false`)
  for (const n of [1, 2, 3]) expect(await rowsOf(db, sql`SELECT ${n} + 1 AS next`)).toEqual([{ next: n + 1 }])
  const prepared = await rowsOf(db, sql`SELECT count(*) AS n FROM pg_prepared_statements`)
  expect(prepared).toEqual([{ n: 0 }])
})

test('a connection that the server ends is replaced without a word to the caller', async () => {
  const url = await temporaryDatabase()
  const [db, killer] = [open(url), open(url)]
  const end = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
  for (let round = 0; round < 5; round++) {
    await rowsOf(db, sql`SELECT 1 AS one`)
    await killer.batch([end])
    expect(await rowsOf(db, sql`SELECT ${round} + 0 AS n`)).toEqual([{ n: round }])
    expect(await db.batch([sql`SELECT 1 AS one`, sql`SELECT 2 AS two`])).toHaveLength(2)
  }
})

test('transactions that wait for each other are told apart and tried again', async () => {
  const db = open(await temporaryDatabase())
  await db.batch([
    sql`CREATE TABLE places (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)`,
    sql`INSERT INTO places VALUES (1, 0), (2, 0)`,
  ])
  const add = (id: number) => sql`UPDATE places SET n = n + 1 WHERE id = ${id}`
  const pause = sql`SELECT pg_sleep(0.2)`
  await Promise.all([db.batch([add(1), pause, add(2)]), db.batch([add(2), pause, add(1)])])
  expect(await rowsOf(db, sql`SELECT n FROM places ORDER BY id`)).toEqual([{ n: 2 }, { n: 2 }])
  await db.batch([sql`DROP TABLE places`])
})

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}

test('the doctor warns of settings that lose what was committed', async () => {
  const url = await temporaryDatabase()
  const careless = open(`${url}?options=-c%20synchronous_commit%3Doff`)
  const checks = await durabilityCheck(careless)
  // The server of the tests has fsync off; it may.
  const detail =
    'fsync is off: a power cut may destroy the whole database; ' +
    'synchronous_commit is off: a crash of the server loses decisions that were answered'
  expect(checks).toEqual([{ name: 'durability', ok: true, warning: true, detail }])
})

test.each([
  'extra_float_digits=-10',
  'quote_all_identifiers=on',
  'array_nulls=off',
  'standard_conforming_strings=off',
])('refuses a database that sets %s, by name', async setting => {
  const url = await temporaryDatabase()
  const [name] = setting.split('=')
  const changed = open(`${url}?options=${encodeURIComponent(`-c ${setting}`)}`)
  await expect(changed.query(sql`SELECT 1`)).rejects.toThrow(`the database sets ${name} so that`)
})

test('the doctor names settings of a session that a pooler changed', async () => {
  const pooled = open(`${await temporaryDatabase()}?max=1`)
  await pooled.query(raw('SET extra_float_digits = 0'))
  const checks = await checkKnownValues(pooled)
  expect(checks).toMatchObject([{ ok: false, detail: expect.stringContaining('extra_float_digits') }])
})
