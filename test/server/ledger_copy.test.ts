import { FEATURES } from '../../src/entry/features.ts'
import { describe, expect, test } from 'vitest'
import { examine } from '../../src/ledger/doctor/doctor.ts'
import { copiedTables } from '../../src/features/copy/jobs.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { tablesOf } from '../../src/sql/migrate.ts'
import { type Sql, rowsOf, sql } from '../../src/sql/port.ts'
import { eventOf } from '../support/services/builders.ts'
import { DIRECTIONS, SMALL_PAGES, copy, makers } from '../support/databases/copying.ts'
import { ok, promote, setPolicy } from '../support/services/requests.ts'
import { scaled } from '../support/scale.ts'
import { NOON, testService } from '../support/services/service.ts'
import { contentsOf, fillLedger, tableNames } from '../support/databases/whole_ledger.ts'

/** Enough for several pages of each table. */
const EVENTS = scaled(60, 400)

describe.each(scaled(DIRECTIONS.slice(0, 2), DIRECTIONS))('a copy from %s to %s', (from, to) => {
  test.each(Array.from({ length: scaled(1, 100) }, (_, index) => index + 1))(
    'of random ledger %i has every row of every table',
    async seed => {
      const source = await testService({ sql: await makers[from]() })
      await fillLedger(source, seed, EVENTS)
      const before = await contentsOf(source.sql)
      // A table that stays empty here would be one whose copy is not tested.
      expect(Object.keys(before).filter(name => before[name]!.length === 0)).toEqual([])
      const target = await makers[to]()
      const { outcome, checks, rows } = await copy(source.sql, target, { limits: SMALL_PAGES })
      expect(outcome).toBe('copied')
      expect(checks.filter(check => !check.ok)).toEqual([])
      expect(rows).toBe(Object.values(before).flat().length)
      expect(await contentsOf(target)).toEqual(before)
      expect(await contentsOf(source.sql)).toEqual(before)
      await expectSoundDeep(target)
      expect((await copy(source.sql, target)).outcome).toBe('there already')
    },
  )
})

describe.each(scaled(DIRECTIONS.slice(0, 2), DIRECTIONS))('a copy from %s to %s', (from, to) => {
  test('works on as the source would have', async () => {
    const source = await testService({ sql: await makers[from](), firstId: 0 })
    const [release] = await fillLedger(source, 3, EVENTS)
    const target = await makers[to]()
    await copy(source.sql, target)
    const service = await testService({ sql: target, firstId: 5000 })
    service.clock.now = source.clock.now + 1000
    const events = [
      eventOf({ release_id: release!, run_id: 'after', at: NOON - 5 }),
      eventOf({ release_id: 'rel_new', run_id: 'after-2', model: 'm9', at: NOON - 5 }),
      eventOf({ release_id: release!, run_id: 'run-0' }),
    ]
    expect(await ok(service.call('POST /v1/events', { body: { events } }))).toMatchObject({
      inserted: 2,
      skipped: 1,
    })
    await setPolicy(service, {})
    await ok(promote(service, release!, { window: '7d' }))
    const policies = await rowsOf(
      target,
      sql`SELECT count(*) AS n, count(DISTINCT seq) AS seqs FROM policy_history`,
    )
    expect(policies[0]!.n).toBe(policies[0]!.seqs)
    await expectSoundDeep(target)
    // The triggers that make the trail append-only are there as well.
    for (const statement of [sql`UPDATE actions SET reason = 'forged'`, sql`DELETE FROM releases`]) {
      await expect(target.batch([statement])).rejects.toThrow(/append-only|immutable/)
    }
  })

  test('of an empty ledger is an empty ledger', async () => {
    const [source, target] = [await makers[from](), await makers[to]()]
    expect(await copy(source, target)).toMatchObject({ outcome: 'copied' })
    expect(await contentsOf(target)).toEqual(await contentsOf(source))
  })
})

test('every table of both databases is copied, but what only one of them needs', async () => {
  const names: Record<string, string[]> = {}
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const made = tablesOf(loadMigrations(dialect)).sort()
    const db = dialect === 'sqlite' ? await makers.SQLite() : await makers.PostgreSQL()
    expect(await tableNames(db)).toEqual([...made, 'schema_migrations'].sort())
    names[dialect] = made
  }
  expect(await copiedTables()).toEqual(expect.arrayContaining(names.postgres!))
  // They say how far the roll-ups of SQLite are, and where its events are; the copy sets both.
  expect(names.sqlite!.filter(name => !names.postgres!.includes(name))).toEqual([
    'event_blocks',
    'rollup_mark',
  ])
  expect(names.postgres!.filter(name => !names.sqlite!.includes(name))).toEqual([])
})

test('events of the largest size go page by page', async () => {
  const source = await testService({ sql: await makers.SQLite() })
  const release_id = 'rel_large'
  for (let index = 0; index < 24; index++) {
    const event = { ...eventOf({ release_id, run_id: `r${index}` }), labels: { text: 'é'.repeat(100_000) } }
    await ok(source.call('POST /v1/events', { body: { events: [event] } }))
  }
  const target = await makers.PostgreSQL()
  const sizes: number[] = []
  const measured: Sql = {
    ...target,
    batch: statements => {
      sizes.push(JSON.stringify(statements).length)
      return target.batch(statements)
    },
  }
  await copy(source.sql, measured)
  expect(Math.max(...sizes)).toBeLessThan(4_000_000)
  expect(await contentsOf(target)).toEqual(await contentsOf(source.sql))
})

async function expectSoundDeep(db: Sql): Promise<void> {
  const { checks } = await examine(db, {
    features: FEATURES,
    migrations: loadMigrations(db.dialect),
    deep: true,
  })
  expect(checks.filter(check => !check.ok)).toEqual([])
}
