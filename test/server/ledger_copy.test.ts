import { FEATURES } from '../../src/entry/features.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { examine } from '../../src/ledger/doctor/doctor.ts'
import { copiedTables } from '../../src/features/copy/jobs.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { migrate, tablesOf } from '../../src/sql/migrate.ts'
import { type Sql, type Statement, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { eventOf, importPrices, register } from '../support/services/builders.ts'
import { type Database, DIRECTIONS, SMALL_PAGES, copy, makers } from '../support/databases/copying.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { ingest, ok, promote, setPolicy } from '../support/services/requests.ts'
import { scaled } from '../support/scale.ts'
import { NOON, type TestService, testService } from '../support/services/service.ts'
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
      const { checks, rows } = await copy(source.sql, target, { limits: SMALL_PAGES })
      expect(checks.filter(check => !check.ok)).toEqual([])
      expect(rows).toBe(Object.values(before).flat().length)
      expect(await contentsOf(target)).toEqual(before)
      expect(await contentsOf(source.sql)).toEqual(before)
      await expectSoundDeep(target)
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
    await copy(source, target)
    expect(await contentsOf(target)).toEqual(await contentsOf(source))
  })
})

test('every table of both databases is copied, but what only one of them needs', async () => {
  const names: Record<string, string[]> = {}
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const made = tablesOf(loadMigrations({ dialect })).sort()
    const db = dialect === 'sqlite' ? await makers.SQLite() : await makers.PostgreSQL()
    expect(await tableNames(db)).toEqual([...made, 'schema_migrations'].sort())
    names[dialect] = made
  }
  expect(await copiedTables()).toEqual(expect.arrayContaining(names.postgres!))
  // They say how far the rollups of SQLite are, and where its events are; the copy sets both.
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

const UNMARKED = 'SELECT version FROM schema_migrations WHERE version = 1000000'

test.each(DIRECTIONS)(
  'tables that refer to each other go from %s to %s in an order that holds',
  async (from, to) => {
    const [source, target] = [await laterLedger(from), await laterLedger(to)]
    const tables = ['a_children', ...(await copiedTables()), 'b_parents']
    await source.batch([
      sql`INSERT INTO b_parents (id, note) VALUES ('p1', 0.1), ('p2', ${1e300}), ('p3', ${-Number.MIN_VALUE})`,
      sql`INSERT INTO a_children (parent, part) VALUES ('p1', 1), ('p1', 2), ('p2', 1), ('p3', 10)`,
    ])
    await copy(source, target, { limits: { rows: 2, bytes: 10 }, tables })
    const copied = await contentsOf(target)
    expect(copied).toEqual(await contentsOf(source))
    expect(copied.b_parents).toHaveLength(3)
  },
)

/** A ledger with tables of a migration to come, named so that their order by name is the wrong one. */
async function laterLedger(kind: Database): Promise<Sql> {
  const db = kind === 'SQLite' ? await makers.SQLite() : await emptyPostgres()
  const real = kind === 'SQLite' ? 'REAL' : 'DOUBLE PRECISION'
  await db.batch([
    { text: `CREATE TABLE b_parents (id TEXT PRIMARY KEY, note ${real} NOT NULL)`, params: [] },
    sql`CREATE TABLE a_children (part INTEGER NOT NULL, parent TEXT NOT NULL REFERENCES b_parents (id),
      PRIMARY KEY (parent, part))`,
  ])
  return db
}

/** One that no other test uses after this, as its tables stay. */
async function emptyPostgres(): Promise<Sql> {
  const db = openPostgres({ url: `${await emptyDatabase()}?max=2` })
  onTestFinished(() => db.close())
  await migrate(db, loadMigrations({ dialect: 'postgres' }), () => NOON)
  return db
}

describe('a source that is written while it is copied', () => {
  test('ends the copy also where its writer is as quick', async () => {
    const source = await testService()
    let writes = 0
    const written: Sql = {
      ...source.sql,
      query: async statement => {
        // Each page of the log that is read is not the last one.
        if (/AS bytes FROM audit_log/.test(statement.text) && writes < 50) {
          writes += 1
          await setPolicy(source, { min_low_runs: writes })
        }
        return source.sql.query(statement)
      },
    }
    await setPolicy(source, {})
    await expect(copy(written, await makers.SQLite())).rejects.toThrow(/^The source changed during/)
    expect(writes).toBeLessThan(10)
  })

  test.each<[string, string, (source: TestService, release: string) => Promise<unknown>]>([
    [
      'run_events',
      'an event',
      (source, id) => ingest(source, [eventOf({ release_id: id, run_id: 'meanwhile' })]),
    ],
    ['audit_head', 'a decision', (source, id) => promote(source, id)],
    ['policy_history', 'a policy', source => setPolicy(source, { min_low_runs: 3 })],
    ['releases', 'a release', source => register(source, { version: '9' })],
  ])('is found by %s after %s', async (table, _what, write) => {
    const source = await testService()
    await importPrices(source)
    const release = await register(source)
    const target = await makers.PostgreSQL()
    let written = false
    const meddled: Sql = {
      ...target,
      batch: async statements => {
        const results = await target.batch(statements)
        if (!written && statements.some(({ text }) => text.includes('INTO counters'))) {
          written = true
          await write(source, release)
        }
        return results
      },
    }
    const refusal = copy(source.sql, meddled)
    await expect(refusal).rejects.toThrow(
      /^The source changed during the copy \(.*\)\. Stop all programs that write to it/,
    )
    await expect(refusal).rejects.toThrow(table)
    expect((await target.query({ text: UNMARKED, params: [] })).rows).toHaveLength(1)
  })
})

describe('a target that loses what it was sent', () => {
  test.each<[string, (statement: Statement) => Statement | undefined]>([
    ['events', statement => (statement.text.includes('INTO run_events') ? undefined : statement)],
    ['a decision', statement => (statement.text.includes('INTO actions') ? undefined : statement)],
    ['rollups', statement => (statement.text.includes('INTO rollup_hours') ? undefined : statement)],
    ['a text', statement => altered(statement, 'INTO releases', 'bot', 'bo')],
    ['a number', statement => altered(statement, 'INTO run_events', '1000', '1001')],
    ['a sum', statement => altered(statement, 'INTO rollup_minutes', '1000', '1001')],
  ])('%s is found out and stays marked', async (_what, alter) => {
    const source = await testService()
    await importPrices(source)
    const release = await register(source)
    await ingest(source, [eventOf({ release_id: release, run_id: 'r', at: NOON - 9000 })])
    await ok(promote(source, release))
    const target = await makers.PostgreSQL()
    const lossy: Sql = {
      ...target,
      batch: statements => target.batch(statements.flatMap(statement => alter(statement) ?? [])),
    }
    await expect(copy(source.sql, lossy)).rejects.toThrow(/^The copy fails its checks: /)
    expect((await target.query({ text: UNMARKED, params: [] })).rows).toHaveLength(1)
  })
})

function altered(statement: Statement, into: string, before: string, after: string): Statement {
  if (!statement.text.includes(into)) return statement
  const params = statement.params.map(param =>
    typeof param === 'string' ? param.replace(before, after) : param,
  )
  expect(params).not.toEqual(statement.params)
  return { ...statement, params }
}

async function expectSoundDeep(db: Sql): Promise<void> {
  const { checks } = await examine(db, {
    features: FEATURES,
    migrations: loadMigrations(db),
    deep: true,
  })
  expect(checks.filter(check => !check.ok)).toEqual([])
}
