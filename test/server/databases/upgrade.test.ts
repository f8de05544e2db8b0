import { describe, expect, onTestFinished, test } from 'vitest'
import { join } from 'node:path'
import type { Log } from '../../../src/ledger/world/ledger.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openServices } from '../../../src/runtime/node/open.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { migrate, migrateIfBehind, requireMigrated } from '../../../src/sql/migrate.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { type Sql, SqlError, raw, sql } from '../../../src/sql/port.ts'
import { scaled } from '../../support/scale.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { emptyDatabase } from '../../support/databases/postgres.ts'
import { failedChecks, ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'
import { freshD1 } from '../../support/workers/fresh_d1.ts'

const NOW = 1_800_000_000_000

const PLACES = [
  ['a SQLite file', async () => openFile()],
  ['PostgreSQL', async () => openPostgres({ url: `${await emptyDatabase()}?max=4` })],
  ['D1', freshD1(4)],
] as const

describe.each(PLACES)('the migrations of %s', (name, open) => {
  // All databases share the migrator: a file shows where it goes on.
  test.each(scaled(name === 'a SQLite file' ? [1] : [], [0, 1]))(
    'that end at step %i, or just behind it, are gone on with by the next',
    async step => {
      for (const when of ['before', 'after'] as const) {
        const db = await opened(open)
        const migrations = loadMigrations(db)
        const failing = migrate(endingAt(db, step, when), migrations, () => NOW)
        await expect(failing).rejects.toThrow('the power is out')
        await migrate(db, migrations, () => NOW)
        await expectSound(db)
      }
    },
  )

  test('that are broken off at a statement leave nothing, and end all the same', async () => {
    const [db, whole] = [await opened(open), await opened(open)]
    const migrations = loadMigrations(db)
    await migrate(whole, migrations, () => NOW)
    // The first batch makes the table of versions.
    await migrate(db, [], () => NOW)
    const breaking = breakingOff(db)
    const goOn = async (): Promise<unknown> =>
      migrate(breaking.db, migrations, () => NOW).catch((error: Error) => error)
    for (;;) {
      const ended = await goOn()
      if (!(ended instanceof Error)) break
      expect(ended.message).toBe('broken off')
    }
    expect(breaking.times()).toBeGreaterThanOrEqual(migrations.length)
    expect(await schemaOf(db)).toEqual(await schemaOf(whole))
    await expectSound(db)
  })

  test('refuse a ledger from before 1.0.0, which has others, and change nothing', async () => {
    const db = await opened(open)
    const migrations = loadMigrations(db)
    await migrate(db, migrations.slice(0, 4), () => NOW)
    await db.batch([
      sql`UPDATE schema_migrations SET name = 'run_events_by_release_and_time' WHERE version = 2`,
    ])
    const before = await schemaOf(db)
    const refused = { name: 'SchemaError', message: expect.stringContaining('from before version 1.0.0') }
    for (const refuse of [
      () => migrate(db, migrations, () => NOW),
      () => migrateIfBehind(db, migrations, () => NOW),
      () => requireMigrated(db, migrations),
    ]) {
      await expect(refuse()).rejects.toMatchObject(refused)
    }
    expect(await schemaOf(db)).toEqual(before)
  })
})

test('who opens a ledger of an older version is told that it was upgraded, and who opens it next is not', async () => {
  const folder = temporaryFolder()
  const old = await openFile(folder)
  await migrate(old, loadMigrations({ dialect: 'sqlite' }).slice(0, 8), () => NOW)
  await old.close()
  const open = async (): Promise<string[]> => {
    const said: string[] = []
    const workspace = workspaceConfig({ db_path: 'old.db' })
    const log: Log = (_level, message) => said.push(message)
    const environment = readEnvironment({})
    const { sql: db } = await openServices({ folder, environment, version: '0.0.0-test', log, workspace })
    await db.close()
    return said.filter(message => message.startsWith('migrated'))
  }
  expect(await open()).toEqual([expect.stringMatching(/^migrated the ledger from schema version 8 to \d+;/)])
  expect(await open()).toEqual([])
})

/** Of so many statements of a migration one is that at which it is broken off. */
const STRIDE = scaled(32, 1)

/** A database each of whose batches is broken off at one statement after the other, before it is let through. */
function breakingOff(db: Sql): { readonly db: Sql; readonly times: () => number } {
  let [at, times] = [1, 0]
  const batch: Sql['batch'] = async (statements, options) => {
    if (at >= statements.length) {
      at = 1
      return db.batch(statements, options)
    }
    const before = await schemaOf(db)
    const cut = [...statements.slice(0, at), raw('SELECT broken FROM off')]
    await expect(db.batch(cut, options)).rejects.toThrow(SqlError)
    expect(await schemaOf(db)).toEqual(before)
    ;[at, times] = [at + STRIDE, times + 1]
    throw new SqlError('unavailable', 'broken off')
  }
  return { db: { ...db, batch }, times: () => times }
}

/** Tables with their columns, indexes and triggers, and the versions of a database. */
async function schemaOf(db: Sql): Promise<unknown> {
  const [things, versions] = await db.snapshot([
    raw(SCHEMA[db.dialect]),
    raw('SELECT * FROM schema_migrations ORDER BY version'),
  ])
  return [things!.rows, versions!.rows]
}

const SCHEMA = {
  sqlite: 'SELECT type, name, sql FROM sqlite_master ORDER BY type, name',
  postgres: `SELECT 'column' AS kind, table_name || '.' || column_name AS name, data_type || is_nullable AS text
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = current_schema()::regnamespace
    ORDER BY 1, 2, 3`,
} as const

/** A database that is gone with the batch of the given number: before it was done, or with its answer. */
function endingAt(db: Sql, step: number, when: 'before' | 'after'): Sql {
  let batches = 0
  return {
    ...db,
    batch: async (statements, options) => {
      const isOver = batches++ === step
      if (isOver && when === 'before') throw new SqlError('unavailable', 'the power is out')
      const results = await db.batch(statements, options)
      if (isOver) throw new SqlError('unavailable', 'the power is out')
      return results
    },
  }
}

/** A ledger in which all can be done. */
async function expectSound(db: Sql): Promise<void> {
  const service = await testService({ sql: db })
  expect(await failedChecks(service, true)).toEqual([])
  await ok(service.call('PUT /v1/policy', { body: { max_cost_increase_pct: 0.1 } }))
  expect(await failedChecks(service, true)).toEqual([])
}

async function opened(open: () => Promise<Sql>): Promise<Sql> {
  const db = await open()
  onTestFinished(() => db.close())
  return db
}

async function openFile(folder = temporaryFolder()): Promise<Sql> {
  return openLibsql({ path: join(folder, 'old.db'), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}
