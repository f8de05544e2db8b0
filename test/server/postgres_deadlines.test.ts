import { createServer } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { patiently } from '../../src/sql/deadline.ts'
import { type Sql, type SqlError, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { importPrices, register } from '../support/services/builders.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { promote } from '../support/services/requests.ts'
import { testService } from '../support/services/service.ts'
import { tamperingProxy } from '../support/databases/servers/tampering_proxy.ts'

const COUNT_UP = sql`UPDATE audit_head SET revision = revision + 1 WHERE id = 1`

describe('a host that is gone without a word', () => {
  test('ends a read, and what waits for a connection, in time; back again, all goes on', async () => {
    const proxy = await tamperingProxy(await temporaryDatabase())
    const db = open(`${proxy.url}?max=2&query_timeout=1&connect_timeout=1`)
    await db.query(sql`SELECT 1 AS one`)
    proxy.isSilent = true
    const lost = await Promise.all(
      Array.from({ length: 6 }, () =>
        db.query(sql`SELECT ${1} AS one`).catch((error: SqlError) => error.kind),
      ),
    )
    expect(new Set(lost)).toEqual(new Set(['unavailable', 'busy']))
    proxy.isSilent = false
    expect(await rowsOf(db, sql`SELECT 2 AS two`)).toEqual([{ two: 2 }])
    expect(proxy.open).toBeLessThanOrEqual(2)
  })

  test('leaves a commit open, which its caller is told', async () => {
    const proxy = await tamperingProxy(await temporaryDatabase())
    const db = open(`${proxy.url}?max=1&query_timeout=1`)
    await db.query(sql`SELECT 1 AS one`)
    proxy.rewrite = chunk => {
      proxy.isSilent ||= chunk.includes('COMMIT\0')
      return chunk
    }
    await expect(db.batch([COUNT_UP])).rejects.toMatchObject({ kind: 'uncertain' })
  })

  test('that never answers a connection is given up', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const db = open(`postgres://u@127.0.0.1:${port}/x?connect_timeout=1&query_timeout=2`)
    await expect(db.query(sql`SELECT 1 AS one`)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('a forgotten transaction that holds the head of the trail', () => {
  test('ends writes in time, and leaves connections for reads', async () => {
    const url = await temporaryDatabase()
    const service = await testService({ sql: open(`${url}?max=4&query_timeout=4`) })
    await importPrices(service)
    const release = await register(service)
    const unlock = await holdHead(url)
    const promotions = Array.from({ length: 8 }, () => promote(service, release))
    const reads = await Promise.all([service.call('GET /ready'), service.call('GET /v1/releases')])
    expect(reads.map(({ status }) => status)).toEqual([200, 200])
    expect((await Promise.all(promotions)).map(({ status }) => status)).toEqual(promotions.map(() => 503))
    await unlock()
    expect((await promote(service, release)).status).toBe(200)
  })

  test('keeps each of many governed writes no longer than the first', async () => {
    const url = await temporaryDatabase()
    const service = await testService({ sql: open(`${url}?max=4&query_timeout=2`) })
    const unlock = await holdHead(url)
    const startedAt = performance.now()
    const sets = Array.from({ length: 12 }, () => service.call('PUT /v1/policy', { body: {} }))
    expect((await Promise.all(sets)).map(({ status }) => status)).toEqual(sets.map(() => 503))
    // One after the other they would take 24 s.
    expect(performance.now() - startedAt).toBeLessThan(8000)
    await unlock()
    expect((await service.call('PUT /v1/policy', { body: {} })).status).toBe(200)
  })

  test('commits nothing for a caller who is gone by the time it ends', async () => {
    const url = await temporaryDatabase()
    const db = open(url)
    const letGo = await holdHead(url)
    const caller = new AbortController()
    const written = db.batch([COUNT_UP], { deadline: { leftMs: () => 20_000, signal: caller.signal } })
    const failed = written.catch((error: SqlError) => error.kind)
    await waitsForLock(url)
    caller.abort()
    await letGo()
    expect(await failed).toBe('gone')
    expect(await rowsOf(db, sql`SELECT revision FROM audit_head`)).toEqual([{ revision: 0 }])
  })

  test('is waited for by what may take long', async () => {
    const url = await temporaryDatabase()
    const db = open(`${url}?max=4&query_timeout=1`)
    const letGo = await holdHead(url)
    const patient = patiently(db).batch([COUNT_UP])
    await expect(db.batch([COUNT_UP])).rejects.toMatchObject({ kind: 'busy' })
    await letGo()
    await patient
  })
})

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'EPROTO', 'ECONNABORTED', 'ERR_SSL_BAD_RECORD'])(
  'a connection that fails with %s while it commits is lost, and not used again',
  async code => {
    const db = await failingSockets(await temporaryDatabase(), code)
    await expect(db.batch([COUNT_UP])).rejects.toMatchObject({ kind: 'uncertain' })
    expect(await rowsOf(db, sql`SELECT 3 AS three`)).toEqual([{ three: 3 }])
  },
)

test('an error of class 08 that the server tells ends the session, and no lock outlives it', async () => {
  const url = await temporaryDatabase()
  const db = open(`${url}?max=1`)
  await db.batch([
    sql`CREATE FUNCTION mirror() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION USING ERRCODE = ''08001'', MESSAGE = ''no mirror''; END'`,
    sql`CREATE TRIGGER mirrored BEFORE INSERT ON counters FOR EACH ROW EXECUTE FUNCTION mirror()`,
  ])
  onTestFinished(async () => {
    await db.batch([sql`DROP TRIGGER mirrored ON counters`, sql`DROP FUNCTION mirror`])
  })
  const add = sql`INSERT INTO counters (name, slot, value) VALUES ('mirrored', ${0}, 1)`
  await expect(db.batch([COUNT_UP, add])).rejects.toMatchObject({ kind: 'unavailable' })
  await open(`${url}?query_timeout=2`).batch([COUNT_UP])
})

/** Resolves when somebody waits for a lock. */
async function waitsForLock(url: string): Promise<void> {
  const db = open(url)
  const waiting = sql`SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await rowsOf(db, waiting))[0]!.n === 0);
}

/** Another client's transaction that holds the head; returns what lets go of it. */
async function holdHead(url: string): Promise<() => Promise<void>> {
  const { default: postgres } = await import('postgres')
  const other = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => other.end({ timeout: 0 }))
  await other.unsafe('BEGIN')
  await other.unsafe('UPDATE audit_head SET revision = revision WHERE id = 1')
  return async () => void (await other.unsafe('ROLLBACK'))
}

/** A database whose first connection fails with this code as soon as it is to commit. */
async function failingSockets(url: string, code: string): Promise<Sql> {
  const { postgresLedger } = await import('../../src/sql/postgres/postgres.ts')
  const { readSettings } = await import('../../src/sql/postgres/settings.ts')
  const { createConnection } = await import('node:net')
  let hasFailed = false
  const db = postgresLedger({
    settings: readSettings(`${url}?max=1`),
    connect: async ({ host, port }) => {
      const socket = createConnection({ host, port })
      await once(socket, 'connect')
      const write = socket.write.bind(socket)
      const failing = (chunk: Buffer): boolean => {
        if (!hasFailed && chunk.includes('COMMIT\0')) {
          hasFailed = true
          socket.destroy(Object.assign(new Error(code), { code }))
          return false
        }
        return write(chunk)
      }
      Object.assign(socket, { write: failing })
      return { socket, destroy: () => void socket.destroy() }
    },
  })
  onTestFinished(() => db.close())
  return db
}

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
