import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { type Sql, SqlError, rowsOf, sql } from '../../../src/sql/port.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { testService } from '../../support/services/service.ts'
import { appendOnlyContract } from '../suite/append_only.ts'
import { sqlPortContract } from '../suite/sql_port.ts'

sqlPortContract(() => emptyLedger())

appendOnlyContract(testService)

test('a query can not write', async () => {
  const db = await emptyLedger()
  await expect(db.query(sql`CREATE TABLE things (id TEXT)`)).rejects.toThrow(SqlError)
  expect(await rowsOf(db, sql`SELECT count(*) AS n FROM sqlite_schema`)).toEqual([{ n: 0 }])
})

const SYNCHRONOUS = sql`PRAGMA synchronous`

test.each([
  { durable: false, alwaysDurable: false, level: 1 },
  { durable: true, alwaysDurable: false, level: 2 },
  { durable: false, alwaysDurable: true, level: 2 },
])('a batch of $durable commits with synchronous=$level where all are $alwaysDurable', async options => {
  const { durable, alwaysDurable, level } = options
  const db = await emptyLedger({ alwaysDurable })
  await db.batch([sql`CREATE TABLE things (id TEXT PRIMARY KEY)`, sql`INSERT INTO things VALUES ('taken')`])
  const [set] = await db.batch([SYNCHRONOUS], { durable })
  expect(set!.rows).toEqual([{ synchronous: level }])
  // Also one that fails leaves the connection as it was.
  const failing = db.batch([sql`INSERT INTO things VALUES ('taken')`], { durable })
  await expect(failing).rejects.toMatchObject({ kind: 'unique' })
  const [after] = await db.batch([SYNCHRONOUS])
  expect(after!.rows).toEqual([{ synchronous: alwaysDurable ? 2 : 1 }])
})

test('of batches that are committed together, one that is durable makes all so', async () => {
  const db = await emptyLedger()
  const together = [false, true, false].map(durable => db.batch([SYNCHRONOUS], { durable }))
  const levels = (await Promise.all(together)).map(([set]) => set!.rows[0]!.synchronous)
  expect(levels).toEqual([2, 2, 2])
})

async function emptyLedger({ alwaysDurable = false } = {}): Promise<Sql> {
  const path = join(temporaryFolder(), 'empty.db')
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000, alwaysDurable })
  onTestFinished(() => db.close())
  return db
}

test('writers behind a lock give up when their own time is over, not one after the other', async () => {
  const path = join(temporaryFolder(), 'locked.db')
  const open = () => openLibsql({ path, busyTimeoutMs: 300, lockRetryMs: 300 })
  const [db, holder] = [await open(), createClient({ url: pathToFileURL(path).href })]
  onTestFinished(() => db.close())
  await db.batch([sql`CREATE TABLE things (id TEXT)`])
  const lock = await holder.transaction('write')
  const startedAt = performance.now()
  const writes = Array.from({ length: 30 }, (_, id) => db.batch([sql`INSERT INTO things VALUES (${id})`]))
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.every(outcome => outcome.status === 'rejected' && outcome.reason.kind === 'busy')).toBe(
    true,
  )
  expect(performance.now() - startedAt).toBeLessThan(8000)
  lock.close()
  holder.close()
  await db.batch([sql`INSERT INTO things VALUES ('after')`])
  expect(await rowsOf(db, sql`SELECT id FROM things`)).toEqual([{ id: 'after' }])
})
