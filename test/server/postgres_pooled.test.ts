import { expect, onTestFinished, test } from 'vitest'
import { type Statement, raw, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { expectSound } from '../crash/verify.ts'
import { importPrices, register, eventOf } from '../support/services/builders.ts'
import { transactionPooler } from '../support/databases/pooler.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { actionsOf, ingest, ok, promote, setPolicy } from '../support/services/requests.ts'
import { testService } from '../support/services/service.ts'
import { tamperingProxy } from '../support/databases/servers/tampering_proxy.ts'

test('behind a pooler that gives each transaction another connection, what is acknowledged is stored', async () => {
  const url = await temporaryDatabase()
  const pooler = await transactionPooler(url)
  const service = await testService({ sql: open(`${pooler.url}?max=4`) })
  await importPrices(service)
  const releases = [await register(service), await register(service, { version: '2' })] as const
  const acknowledged: string[] = []
  for (let round = 0; round < 6; round++) {
    const environments = ['prod', 'staging', 'dev']
    const answers = await Promise.all(
      environments.map(environment => promote(service, releases[round % 2]!, { environment })),
    )
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status)
      acknowledged.push(body.action_id ?? body.detail.outcome.action_id)
    }
    await ingest(service, [eventOf({ release_id: releases[0], run_id: `run-${round}` })])
  }
  const stored = (await actionsOf(service)).map(({ action_id }) => String(action_id))
  expect(stored.toSorted()).toEqual(acknowledged.toSorted())
  expect((await ok(service.call('GET /v1/metrics'))).counters.run_events_total).toBe(6)
  expect(pooler.transactions).toBeGreaterThan(50)
  await expectSound(open(url))
})

test('a COMMIT that the server answers with ROLLBACK is no success', async () => {
  const url = await temporaryDatabase()
  const proxy = await tamperingProxy(url)
  const db = open(`${proxy.url}?max=1`)
  await db.query(sql`SELECT 1 AS one`)
  let commits = 0
  const [commit, rollback] = [queryMessage('COMMIT'), queryMessage('ROLLBACK')]
  proxy.rewrite = chunk => {
    const at = chunk.indexOf(commit)
    if (at < 0 || ++commits > 1) return chunk
    return Buffer.concat([chunk.subarray(0, at), rollback, chunk.subarray(at + commit.length)])
  }
  await db.batch([sql`INSERT INTO counters (name, slot, value) VALUES ('proof', ${0}, 1)`])
  expect(commits).toBe(2)
  expect(await rowsOf(open(url), sql`SELECT value FROM counters WHERE name = 'proof'`)).toEqual([
    { value: 1 },
  ])
})

test('statements that come often stay prepared where no pooler is in between, and all where the URL asks for it', async () => {
  const url = await temporaryDatabase()
  const pooler = await transactionPooler(url, 1)
  const prepared = async (address: string) => {
    const db = open(address)
    for (const n of [1, 2, 3]) {
      const next = { ...sql`SELECT ${n} + 1 AS next`, isFrequent: true }
      expect((await db.batch([next]))[0]!.rows).toEqual([{ next: n + 1 }])
      expect(await rowsOf(db, sql`SELECT ${n} + 2 AS next`)).toEqual([{ next: n + 2 }])
    }
    const rows = await rowsOf(db, sql`SELECT statement FROM pg_prepared_statements ORDER BY statement`)
    return rows.map(({ statement }) => statement)
  }
  const [often, seldom] = ['SELECT $1 + 1 AS next', 'SELECT $1 + 2 AS next']
  expect(await prepared(`${url}?max=1`)).toEqual([often])
  expect(await prepared(`${pooler.url}?max=1`)).toEqual([])
  expect(await prepared(`${url}?max=1&prepare=true`)).toEqual([often, seldom])
  expect(await prepared(`${url}?max=1&prepare=false`)).toEqual([])
})

test('what takes a prepared statement to another connection is found out, and asked for it no more', async () => {
  const url = await temporaryDatabase()
  const pooler = await transactionPooler(url, 3, { reportsServer: true })
  const reasons: string[] = []
  const db = open(`${pooler.url}?max=1`, reason => reasons.push(reason))
  for (let n = 1; n <= 20; n++) {
    const add = sql`INSERT INTO counters (name, slot, value) VALUES ('pooled', ${n}, 1)`
    await db.batch([{ ...add, isFrequent: true }])
  }
  expect(await rowsOf(db, sql`SELECT count(*) AS n FROM counters WHERE name = 'pooled'`)).toEqual([{ n: 20 }])
  expect(reasons).toEqual(['a pooler lost a prepared statement; put prepare=false into the database URL'])
})

test('where all sessions have lost a statement, it is run again once', async () => {
  const reasons: string[] = []
  const db = open(`${await temporaryDatabase()}?max=16`, reason => reasons.push(reason))
  const next = { ...sql`SELECT ${1} + 1 AS next`, isFrequent: true }
  // As many as write at once, each in a session of its own, and more than one write is tried.
  const inAll = (statement: Statement) => Promise.all(Array.from({ length: 12 }, () => db.batch([statement])))
  await inAll(next)
  await inAll(raw('DEALLOCATE ALL'))
  expect((await db.batch([next]))[0]!.rows).toEqual([{ next: 2 }])
  expect(reasons).toEqual(['a pooler lost a prepared statement; put prepare=false into the database URL'])
})

test('events are stored by a statement that stays prepared', async () => {
  const url = await temporaryDatabase()
  const service = await testService({ sql: open(`${url}?max=1`) })
  await importPrices(service)
  const releases = [await register(service), await register(service, { version: '2' })] as const
  for (const release_id of releases)
    await ingest(service, [eventOf({ release_id, run_id: `of ${release_id}` })])
  const both = releases.map(release_id => eventOf({ release_id, run_id: `again ${release_id}` }))
  await ingest(service, both)
  const kept = await rowsOf(service.sql, sql`SELECT statement FROM pg_prepared_statements`)
  expect(kept.map(({ statement }) => String(statement).includes('INSERT INTO run_events'))).toEqual([true])
})

test('statements of decisions stay prepared, and are planned for all values at once', async () => {
  const url = await temporaryDatabase()
  const service = await testService({ sql: open(`${url}?max=1`) })
  await importPrices(service)
  const releases = [await register(service), await register(service, { version: '2' })] as const
  await setPolicy(service, {})
  for (let turn = 0; turn < 4; turn++) await ok(promote(service, releases[turn % 2]!))
  const kept = await rowsOf(
    service.sql,
    sql`SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE generic_plans + custom_plans > 1`,
  )
  expect(kept.length).toBeGreaterThan(20)
  expect(kept.filter(({ custom_plans }) => custom_plans !== 0)).toEqual([])
})

test('a session keeps so many statements prepared, and the others are run as well', async () => {
  const db = open(`${await temporaryDatabase()}?max=1`)
  for (let n = 0; n < 250; n++) {
    const next = { ...sql`SELECT ${1} + ${raw(String(n))} AS next`, isFrequent: true }
    expect((await db.query(next)).rows).toEqual([{ next: n + 1 }])
  }
  expect(await rowsOf(db, sql`SELECT count(*) AS n FROM pg_prepared_statements`)).toEqual([{ n: 200 }])
})

test('a prepared statement whose answer a migration has changed is prepared anew', async () => {
  const db = open(`${await temporaryDatabase()}?max=1&prepare=true`)
  await db.batch([sql`CREATE TABLE shapes (id BIGINT)`])
  onTestFinished(async () => void (await db.batch([sql`DROP TABLE shapes`])))
  const insert = () =>
    db.batch([sql`INSERT INTO shapes (id) VALUES (${1}) RETURNING *`, sql`SELECT ${1} + 1 AS two`])
  await insert()
  await db.batch([sql`ALTER TABLE shapes ADD COLUMN name TEXT`])
  expect((await insert())[0]!.rows).toEqual([{ id: 1, name: null }])
})

/** A simple query as it is on the wire. */
function queryMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function open(url: string, onRetry?: (reason: string) => void) {
  const db = openPostgres({ url, ...(onRetry === undefined ? {} : { onRetry }) })
  onTestFinished(() => db.close())
  return db
}
