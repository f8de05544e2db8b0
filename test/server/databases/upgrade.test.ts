import { describe, expect, onTestFinished, test } from 'vitest'
import { join } from 'node:path'
import type { Log } from '../../../src/ledger/world/ledger.ts'
import { compactEvents } from '../../../src/features/retention/compact.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openServices } from '../../../src/runtime/node/open.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { type Sql, SqlError, type Value, raw } from '../../../src/sql/port.ts'
import { OLD, WRITTEN_AT, fillOldLedger } from '../../support/databases/old/ledger.ts'
import { scaled } from '../../support/scale.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { emptyDatabase } from '../../support/databases/postgres.ts'
import { decision, ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'
import { freshD1 } from '../../support/workers/fresh_d1.ts'

const NOW = WRITTEN_AT + 3_600_000

const PLACES = [
  ['a SQLite file', async () => openFile()],
  ['PostgreSQL', async () => openPostgres({ url: `${await emptyDatabase()}?max=4` })],
  ['D1', freshD1(8)],
] as const

describe.each(PLACES)('a ledger of 0.1.0 on %s', (name, open) => {
  test('is upgraded in place: all holds, and all goes on', async () => {
    const db = await oldLedger(open)
    await migrate(db, loadMigrations(db.dialect), () => NOW)
    await expectUpgraded(db)
  })

  // All databases share the migrator: a file shows where it goes on.
  test.each(scaled(name === 'a SQLite file' ? [1] : [], [0, 1]))(
    'whose upgrade ends at step %i, or just behind it, is upgraded by the next',
    async step => {
      for (const when of ['before', 'after'] as const) {
        const db = await oldLedger(open)
        const migrations = loadMigrations(db.dialect)
        const failing = migrate(endingAt(db, step, when), migrations, () => NOW)
        await expect(failing).rejects.toThrow('the power is out')
        await migrate(db, migrations, () => NOW)
        await expectUpgraded(db)
      }
    },
  )
})

test('who opens a ledger of 0.1.0 is told that it was upgraded, and who opens it next is not', async () => {
  const folder = temporaryFolder()
  const old = await openFile(folder)
  await fillOldLedger(old)
  await old.close()
  const open = async (): Promise<string[]> => {
    const said: string[] = []
    const workspace = workspaceConfig({ db_path: 'old.db' })
    const log: Log = (_level, message) => said.push(message)
    const environment = readEnvironment({})
    const { sql } = await openServices({ folder, environment, version: '0.0.0-test', log, workspace })
    await sql.close()
    return said.filter(message => message.startsWith('migrated'))
  }
  expect(await open()).toEqual([expect.stringMatching(/^migrated the ledger from schema version 8 to \d+;/)])
  expect(await open()).toEqual([])
})

/** Of so many statements of a migration one is that at which it is broken off. */
const STRIDE = scaled(32, 1)

test.each(PLACES)(
  'on %s an upgrade that is broken off at a statement leaves nothing, and ends all the same',
  async (_name, open) => {
    const [db, whole] = [await oldLedger(open), await oldLedger(open)]
    const migrations = loadMigrations(db.dialect)
    await migrate(whole, migrations, () => NOW)
    const breaking = breakingOff(db)
    const upgrade = async (): Promise<boolean> =>
      migrate(breaking.db, migrations, () => NOW).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ message: 'broken off' })
          return false
        },
      )
    while (!(await upgrade()));
    expect(breaking.times()).toBeGreaterThanOrEqual(migrations.length - 8)
    expect(await schemaOf(db)).toEqual(await schemaOf(whole))
    await expectUpgraded(db)
  },
)

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

async function expectUpgraded(db: Sql): Promise<void> {
  const service = await testService({
    sql: db,
    workspace: { diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 } },
  })
  service.clock.now = NOW
  const checks = async (): Promise<{ name: string; ok: boolean; detail: string }[]> =>
    (await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).checks
  const doctor = async () => (await checks()).filter(check => !check.ok)
  const rollups = async () => (await checks()).find(({ name }) => name === 'rollups')?.detail
  expect(await doctor()).toEqual([])
  // Latencies of before are counted by bin when roll-ups are rebuilt, and by nothing else.
  expect(await rollups()).toMatch(
    /^equal to the raw events; \d+ spans of time lack sums .*`svc rollups rebuild`/,
  )
  await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
  expect(await rollups()).toBe('equal to the raw events')
  expect(await doctor()).toEqual([])
  for (const seq of [1, 2, 3]) {
    expect(await ok(service.call(`GET /v1/actions/${seq}/explain` as 'GET /v1/actions'))).toMatchObject({
      audit_seq: seq,
      rules_version: 1,
      equal: true,
    })
  }
  const [release] = OLD.releases!.rows as [Value[]]
  const release_id = String(release[OLD.releases!.columns.indexOf('release_id')])
  const exported = async () => {
    const query = { release_id, window: '1d', environment: 'local' }
    return (await service.call('GET /v1/runs/export', { query })).text.split('\n').slice(0, -1)
  }
  const texts = OLD.run_events!.rows.map(row =>
    String(row[OLD.run_events!.columns.indexOf('event_json')]),
  ).filter(text => (JSON.parse(text) as { release_id: string }).release_id === release_id)
  expect((await exported()).toSorted()).toEqual(texts.toSorted())
  expect(await compactEvents(db, { pause: async () => {} })).toEqual({ rewritten: 16, left: 0 })
  expect((await exported()).toSorted()).toEqual(texts.toSorted())
  await ok(service.call('POST /v1/rollback', { body: decision(release_id, { window: '1d' }) }))
  expect(await doctor()).toEqual([])
}

async function oldLedger(open: () => Promise<Sql>): Promise<Sql> {
  const db = await open()
  onTestFinished(() => db.close())
  await fillOldLedger(db)
  return db
}

async function openFile(folder = temporaryFolder()): Promise<Sql> {
  return openLibsql({ path: join(folder, 'old.db'), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}
