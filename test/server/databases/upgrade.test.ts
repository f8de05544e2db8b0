import { describe, expect, onTestFinished, test } from 'vitest'
import { join } from 'node:path'
import { compactEvents } from '../../../src/ledger/retention/compact.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { type Sql, SqlError, type Value } from '../../../src/sql/port.ts'
import { OLD, WRITTEN_AT, fillOldLedger } from '../../support/databases/old_ledger.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { emptyDatabase } from '../../support/databases/postgres.ts'
import { decision, ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

const NOW = WRITTEN_AT + 3_600_000

const PLACES = [
  ['a SQLite file', openFile],
  ['PostgreSQL', async () => openPostgres({ url: `${await emptyDatabase()}?max=4` })],
] as const

describe.each(PLACES)('a ledger of 0.1.0 on %s', (_name, open) => {
  test('is upgraded in place: all holds, and all goes on', async () => {
    const db = await oldLedger(open)
    await migrate(db, loadMigrations(db.dialect), () => NOW)
    await expectUpgraded(db)
  })

  test.each([0, 1])(
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
    /^equal to the raw events; \d+ spans of time lack latencies .*`svc rollups rebuild`/,
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

async function openFile(): Promise<Sql> {
  return openLibsql({ path: join(temporaryFolder(), 'old.db'), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}
