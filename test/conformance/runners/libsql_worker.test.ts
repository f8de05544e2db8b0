import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openLibsqlWorker } from '../../../src/sql/libsql/worker.ts'
import { inBackground } from '../../../src/sql/deadline.ts'
import { type CallOptions, type Sql, type SqlError, rowsOf, sql } from '../../../src/sql/port.ts'
import { temporaryFolder, temporaryLedger } from '../../support/databases/ledger.ts'
import { eventOf, register } from '../../support/services/builders.ts'
import { ingest, ok } from '../../support/services/requests.ts'
import { socketService } from '../../support/services/socket.ts'
import { sqlPortContract } from '../suite/sql_port.ts'

/** A ledger that tests of the port share, each with a table of its own: most take less time than a thread takes to start. */
let kept: Promise<Sql> | undefined
const folder = mkdtempSync(join(tmpdir(), 'svc-port-'))
afterAll(async () => {
  await (await kept)?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

function keptLedger(): Promise<Sql> {
  kept ??= openLibsqlWorker({ path: join(folder, 'port.db'), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  return kept
}

sqlPortContract(async () => {
  const db = await keptLedger()
  onTestFinished(async () => void (await (await keptLedger()).batch([sql`DROP TABLE things`])))
  return { ...db, close: () => ((kept = undefined), db.close()) }
})

async function emptyLedger(path = join(temporaryFolder(), 'empty.db')): Promise<Sql> {
  const db = await openLibsqlWorker({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  onTestFinished(() => db.close())
  return db
}

test('a write whose caller goes while it waits for a lock is not done when that is free', async () => {
  const path = join(temporaryFolder(), 'locked.db')
  const [db, other] = [await emptyLedger(path), await emptyLedger(path)]
  await db.batch([sql`CREATE TABLE things (id TEXT)`])
  const holder = createClient({ url: pathToFileURL(path).href })
  const lock = await holder.transaction('write')
  const caller = new AbortController()
  const deadline = { leftMs: () => 10_000, signal: caller.signal }
  const gone = db.batch([sql`INSERT INTO things VALUES ('gone')`], { deadline })
  const patient = db.batch([sql`INSERT INTO things VALUES ('patient')`])
  const failed = gone.catch((error: SqlError) => error.kind)
  caller.abort()
  expect(await failed).toBe('gone')
  lock.close()
  holder.close()
  await patient
  expect(await rowsOf(other, sql`SELECT id FROM things`)).toEqual([{ id: 'patient' }])
})

test('a lock is waited for until the caller gives up', async () => {
  const path = join(temporaryFolder(), 'locked.db')
  const db = await emptyLedger(path)
  await db.batch([sql`CREATE TABLE things (id TEXT)`])
  const holder = createClient({ url: pathToFileURL(path).href })
  const lock = await holder.transaction('write')
  const until = performance.now() + 200
  const deadline = { leftMs: () => until - performance.now() }
  const late = db.batch([sql`INSERT INTO things VALUES ('late')`], { deadline })
  await expect(late).rejects.toMatchObject({ kind: 'busy' })
  expect(performance.now() - until).toBeLessThan(20_000)
  lock.close()
  holder.close()
})

/** Keeps a thread busy for half a second and more, whatever the ledger holds. */
const LONG_READ = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000)
  SELECT count(*) AS n FROM n`

test('writes and short reads go on while a long read runs in the background', async () => {
  const db = await emptyLedger()
  await db.batch([sql`CREATE TABLE things (id INTEGER)`])
  const background = inBackground(db)
  // The thread runs from here on.
  expect(await rowsOf(background, sql`SELECT id FROM things`)).toEqual([])
  const order: string[] = []
  const long = rowsOf(background, LONG_READ).then(() => order.push('long read'))
  for (let id = 0; id < 3; id++) {
    await db.batch([sql`INSERT INTO things VALUES (${id})`])
    order.push(`write ${id}`)
    expect(await rowsOf(db, sql`SELECT count(*) AS n FROM things`)).toEqual([{ n: id + 1 }])
  }
  await long
  expect(order).toEqual(['write 0', 'write 1', 'write 2', 'long read'])
  expect(await rowsOf(background, sql`SELECT count(*) AS n FROM things`)).toEqual([{ n: 3 }])
})

test('a point read sees what was just written, and waits for nothing that the thread does', async () => {
  const db = await emptyLedger()
  const readPoint = async () =>
    (await db.query(sql`SELECT id FROM things WHERE id = ${7}`, { isPointRead: true })).rows
  await expect(readPoint()).rejects.toThrow(/no such table: things/)
  await db.batch([sql`CREATE TABLE things (id INTEGER PRIMARY KEY)`, sql`INSERT INTO things VALUES (7)`])
  const order: string[] = []
  const long = rowsOf(db, LONG_READ).then(() => order.push('long read'))
  expect(await readPoint()).toEqual([{ id: 7 }])
  order.push('point read')
  await long
  await db.batch([sql`DELETE FROM things`])
  expect(await readPoint()).toEqual([])
  expect(order).toEqual(['point read', 'long read'])
  await db.close()
  await expect(readPoint()).rejects.toMatchObject({ kind: 'unavailable' })
})

test('the background can not write, and is closed with the ledger', async () => {
  const db = await emptyLedger()
  const background = inBackground(db)
  await expect(background.query(sql`CREATE TABLE things (id TEXT)`)).rejects.toThrow(/can't be written/)
  await db.close()
  await expect(background.query(sql`SELECT 1 AS one`)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a deep check of the doctor reads in the background, and an ingest is answered meanwhile', async () => {
  const path = join(temporaryFolder(), 'ledger.db')
  await temporaryLedger(path)
  const db = await emptyLedger(path)
  const [began, ingested] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const service = await socketService({ sql: holdingBackground(db, began.resolve, ingested.promise) })
  const release_id = await register(service)
  const report = ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
  await began.promise
  expect(await ingest(service, [eventOf({ release_id, run_id: 'r1' })])).toMatchObject({ inserted: 1 })
  ingested.resolve()
  expect(await report).toMatchObject({ ok: true })
})

/** The same ledger, whose background tells of its first read and answers none before `until`. */
function holdingBackground(db: Sql, began: () => void, until: Promise<void>): Sql {
  const hold = async (options: CallOptions = {}): Promise<void> => {
    if (options.isBackground !== true) return
    began()
    await until
  }
  return {
    ...db,
    query: async (statement, options) => (await hold(options), db.query(statement, options)),
    snapshot: async (statements, options) => (await hold(options), db.snapshot(statements, options)),
  }
}
