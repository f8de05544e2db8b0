import { describe, expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/features/copy/jobs.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { type Sql, SqlError, type Statement, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { eventOf, importPrices, register } from '../support/services/builders.ts'
import { type Database, DIRECTIONS, SMALL_PAGES, copy, makers } from '../support/databases/copying.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { scaled } from '../support/scale.ts'
import { ingest, ok, promote, setPolicy } from '../support/services/requests.ts'
import { NOON, type TestService, testService } from '../support/services/service.ts'
import { contentsOf, fillLedger } from '../support/databases/whole_ledger.ts'

const BATCHES = scaled(40, 1)

const UNMARKED = 'SELECT version FROM schema_migrations WHERE version = 1000000'

describe.each(DIRECTIONS.slice(0, 2))('a copy from %s to %s that breaks off', (from, to) => {
  test.each(['before', 'after'] as const)('%s any batch goes on where it was', async when => {
    const source = await testService({ sql: await makers[from]() })
    await fillLedger(source, 5, scaled(15, 60))
    const target = await makers[to]()
    let breaks = 0
    for (; ; breaks++) {
      // Each run is left so many batches, so that it breaks off at every one or fortieth of them.
      const left = breaking(target, when === 'before' ? BATCHES : BATCHES - 1, when)
      const outcome = await copy(source.sql, left, { limits: SMALL_PAGES }).catch((error: unknown) => error)
      if (!(outcome instanceof SqlError)) break
      expect(outcome.message).toContain('pulled the plug')
    }
    expect(breaks).toBeGreaterThan(scaled(1, 25))
    expect((await target.query({ text: UNMARKED, params: [] })).rows).toEqual([])
    expect(await contentsOf(target)).toEqual(await contentsOf(source.sql))
  })

  test('takes along what was written since, changed or removed', async () => {
    const source = await testService({ sql: await makers[from]() })
    const [release] = await fillLedger(source, 6, 30)
    const half = await makers[to]()
    await expect(copy(source.sql, beforeTheEnd(half), { limits: SMALL_PAGES })).rejects.toThrow('pulled')
    await setPolicy(source, { min_low_runs: 77 })
    await ingest(source, [eventOf({ release_id: release!, run_id: 'later' })])
    await source.sql.batch([
      sql`DELETE FROM idempotency_keys`,
      sql`DELETE FROM rollup_minutes WHERE bucket = (SELECT max(bucket) FROM rollup_minutes)`,
    ])
    await ok(source.call('POST /v1/rollups/rebuild', { body: {} }))
    expect((await copy(source.sql, half, { limits: SMALL_PAGES })).outcome).toBe('completed')
    expect(await contentsOf(half)).toEqual(await contentsOf(source.sql))
  })
})

test.each(DIRECTIONS)(
  'tables that refer to each other go from %s to %s in an order that holds',
  async (from, to) => {
    const [source, target] = [await laterLedger(from), await laterLedger(to)]
    const tables = ['a_children', ...(await copiedTables()), 'b_parents']
    await source.batch([
      sql`INSERT INTO b_parents (id, note) VALUES ('p1', 0.1), ('p2', ${1e300}), ('p3', ${-Number.MIN_VALUE})`,
      sql`INSERT INTO a_children (parent, part) VALUES ('p1', 1), ('p1', 2), ('p2', 1), ('p3', 10)`,
    ])
    const interrupted = copy(source, beforeTheEnd(target), { limits: { rows: 2, bytes: 10 }, tables })
    await expect(interrupted).rejects.toThrow('pulled')
    await source.batch([
      sql`DELETE FROM a_children WHERE parent = 'p1' OR part = 10`,
      sql`DELETE FROM b_parents WHERE id = 'p1'`,
      sql`UPDATE b_parents SET note = 2.5 WHERE id = 'p2'`,
    ])
    await copy(source, target, { limits: { rows: 2, bytes: 10 }, tables })
    const copied = await contentsOf(target)
    expect(copied).toEqual(await contentsOf(source))
    expect(copied.b_parents).toHaveLength(2)
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
  await migrate(db, loadMigrations('postgres'), () => NOON)
  return db
}

test('a row that was committed behind one of a higher number is not missed', async () => {
  const source = await testService({ sql: await makers.PostgreSQL() })
  const [release] = await fillLedger(source, 7, 30)
  // As if a writer had taken its numbers, and would commit later than the others.
  await source.sql.batch([sql`SELECT setval('run_events_seq_seq', 1000)`])
  await ingest(source, [eventOf({ release_id: release!, run_id: 'high' })])
  const target = await makers.SQLite()
  await expect(copy(source.sql, beforeTheEnd(target), { limits: SMALL_PAGES })).rejects.toThrow('pulled')
  await source.sql.batch([sql`SELECT setval('run_events_seq_seq', 500)`])
  await ingest(source, [eventOf({ release_id: release!, run_id: 'low' })])
  await copy(source.sql, target, { limits: SMALL_PAGES })
  expect(await contentsOf(target)).toEqual(await contentsOf(source.sql))
})

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
    await expect(copy(written, await makers.SQLite())).rejects.toThrow(/^The source was written while/)
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
  ])('is found by %s after %s, and the next run completes the copy', async (table, _what, write) => {
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
      /^The source was written while it was copied \(.*\)\. Stop .* run the same/,
    )
    await expect(refusal).rejects.toThrow(table)
    expect((await copy(source.sql, target)).outcome).toBe('completed')
    expect(await contentsOf(target)).toEqual(await contentsOf(source.sql))
  })
})

describe('a target that loses what it was sent', () => {
  test.each<[string, (statement: Statement) => Statement | undefined]>([
    ['events', statement => (statement.text.includes('INTO run_events') ? undefined : statement)],
    ['a decision', statement => (statement.text.includes('INTO actions') ? undefined : statement)],
    ['roll-ups', statement => (statement.text.includes('INTO rollup_hours') ? undefined : statement)],
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
    await expect(copy(source.sql, lossy)).rejects.toThrow(/^The copy does not hold: /)
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

/** Fails at its batch number `last`, counted from 0, and from then on. */
function breaking(target: Sql, last: number, when: 'before' | 'after'): Sql {
  let count = 0
  return {
    ...target,
    batch: async statements => {
      const isLast = count++ >= last
      if (isLast && when === 'before') throw new SqlError('unavailable', 'pulled the plug')
      const results = await target.batch(statements)
      if (isLast) throw new SqlError('uncertain', 'pulled the plug')
      return results
    },
  }
}

/** Fails when all is copied and only the mark is to go. */
function beforeTheEnd(target: Sql): Sql {
  return {
    ...target,
    batch: async statements => {
      if (statements.some(({ text }) => text.startsWith('DELETE FROM schema_migrations'))) {
        throw new SqlError('unavailable', 'pulled the plug')
      }
      return target.batch(statements)
    },
  }
}
