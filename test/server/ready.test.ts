import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../src/sql/libsql/libsql.ts'
import { openLibsqlWorker } from '../../src/sql/libsql/worker.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { type Sql, onlyReading, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { tamperingProxy } from '../support/databases/servers/tampering_proxy.ts'
import type { Answer } from '../support/services/call.ts'
import { ok, refusal, setPolicy } from '../support/services/requests.ts'
import { type TestService, testService } from '../support/services/service.ts'

const LOCKED = /^The ledger is not available: (?:it is locked by another process|its writes wait)\.$/
const MOVED = 'The ledger is not available: its file was moved, deleted or replaced.'
const LOST = 'The ledger is not available: its -wal file was removed, replaced or emptied.'

describe.each([
  ['in this thread', openLibsql],
  ['in a thread of its own', openLibsqlWorker],
])('a SQLite ledger %s', (_where, open) => {
  async function openFile(waitMs = 5000): Promise<TestService & { path: string }> {
    const path = join(temporaryFolder(), 'ledger.db')
    const db = await open({ path, busyTimeoutMs: waitMs, lockRetryMs: waitMs })
    onTestFinished(() => db.close())
    await migrate(db, loadMigrations({ dialect: 'sqlite' }), Date.now)
    return { ...(await testService({ sql: db })), path }
  }

  test('whose file is deleted is not ready and takes no write, and no new file is made', async () => {
    const service = await openFile()
    await setPolicy(service, { policy_id: 'kept' })
    renameSync(service.path, `${service.path}.away`)
    expect(await refusal(service.call('GET /ready'), 503)).toBe(MOVED)
    expect(await refusal(writePolicy(service), 503)).toBe(MOVED)
    expect(await refusal(writePolicy(service), 503)).toBe(MOVED)
    expect(existsSync(service.path)).toBe(false)
    const writes = async () =>
      (await ok(service.call('GET /v1/doctor'))).checks.filter(
        (check: { name: string }) => check.name === 'writes',
      )
    const detail = 'no decision and no run can be recorded: its file was moved, deleted or replaced'
    expect(await writes()).toEqual([{ name: 'writes', ok: true, warning: true, detail }])
    renameSync(`${service.path}.away`, service.path)
    expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    expect(await writes()).toEqual([])
    expect(await ok(service.call('GET /v1/policy'))).toMatchObject({ policy_id: 'kept' })
    expect((await writePolicy(service)).status).toBe(200)
  })

  test('whose file is replaced is not ready, and leaves the other file alone', async () => {
    const service = await openFile()
    rmSync(service.path)
    writeFileSync(service.path, 'another file')
    expect(await refusal(service.call('GET /ready'), 503)).toBe(MOVED)
    expect(await refusal(writePolicy(service), 503)).toBe(MOVED)
    expect(readFileSync(service.path, 'utf8')).toBe('another file')
  })

  test('whose file goes while a write waits for it refuses that write', async () => {
    const service = await openFile()
    const lock = await holdLock(service.path)
    const write = writePolicy(service)
    // The check is in line behind the write, so that one waits by now.
    await notReady(service, LOCKED)
    rmSync(service.path)
    lock.release()
    expect(await refusal(write, 503)).toBe(MOVED)
    expect(existsSync(service.path)).toBe(false)
  })

  test.each<[how: string, lose: (log: string) => void]>([
    ['removed', log => rmSync(log)],
    ['replaced', log => (renameSync(log, `${log}.away`), writeFileSync(log, ''))],
    ['emptied', log => truncateSync(log)],
    ['cut short', log => truncateSync(log, statSync(log).size - 1)],
  ])(
    'whose -wal is %s is not ready, takes no write, and does not come back by itself',
    async (_how, lose) => {
      const service = await openFile()
      await setPolicy(service, { policy_id: 'acknowledged' })
      lose(`${service.path}-wal`)
      expect(await refusal(writePolicy(service), 503)).toBe(LOST)
      await notReady(service, new RegExp(LOST))
      writeFileSync(`${service.path}-wal`, '')
      expect(await refusal(writePolicy(service), 503)).toBe(LOST)
      await notReady(service, new RegExp(LOST))
    },
  )

  test('whose -wal a checkpoint of another process empties goes on', async () => {
    const service = await openFile()
    await setPolicy(service, { policy_id: 'kept' })
    const other = await open({ path: service.path, busyTimeoutMs: 1000, lockRetryMs: 0 })
    await other.query({ text: 'PRAGMA wal_checkpoint(TRUNCATE)', params: [] })
    await other.close()
    expect(statSync(`${service.path}-wal`).size).toBe(0)
    await setPolicy(service, { policy_id: 'after' })
    expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    expect(await ok(service.call('GET /v1/policy'))).toMatchObject({ policy_id: 'after' })
  })

  test('that another process holds is not ready, and reads go on', async () => {
    const service = await openFile(200)
    const lock = await holdLock(service.path)
    await notReady(service, LOCKED)
    expect((await service.call('GET /v1/releases')).status).toBe(200)
    lock.release()
    await ready(service)
  })

  test('is written for a check at most once a second, and not at all for reading', async () => {
    const service = await openFile()
    const logBytes = (): number => statSync(`${service.path}-wal`).size
    const before = logBytes()
    const startedAt = performance.now()
    for (let calls = 0; calls < 200; calls++) await ok(service.call('GET /ready'))
    const probes = Math.ceil((performance.now() - startedAt) / 1000) + 1
    // A frame of the log has a page and a header.
    expect(logBytes() - before).toBeLessThanOrEqual(probes * (4096 + 24))
    const standby = await testService({ sql: onlyReading(service.sql) })
    const between = logBytes()
    await ok(standby.call('GET /ready'))
    expect(logBytes()).toBe(between)
    expect(await refusal(writePolicy(standby), 503)).toMatch(/this server only reads/)
  })
})

describe('a PostgreSQL ledger', () => {
  test('that takes no writes any more is not ready, is read, and is ready for who only reads', async () => {
    const url = await temporaryDatabase()
    const service = await testService({ sql: openUrl(`${url}?max=2`) })
    await ok(service.call('GET /ready'))
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      const owner = openUrl(`${url}?max=1&default_transaction_read_only=off`)
      const name = new URL(url).pathname.slice(1)
      const set = { text: `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`, params: [] }
      await owner.batch([set])
      await owner.query(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      await owner.close()
    }
    await setReadOnly('on')
    onTestFinished(() => setReadOnly('off'))
    const text = /^The ledger is not available: the database is read-only: it is a standby or set so\.$/
    await notReady(service, text)
    expect(await refusal(writePolicy(service), 503)).toMatch(text)
    expect((await service.call('GET /v1/releases')).status).toBe(200)
    const standby = await testService({ sql: onlyReading(service.sql) })
    expect(await ok(standby.call('GET /ready'))).toEqual({ status: 'ready' })
    await setReadOnly('off')
    await ready(service)
  })

  test('whose host is gone is not ready, within seconds, and ready when it is back', async () => {
    const proxy = await tamperingProxy(await temporaryDatabase())
    const service = await testService({ sql: openUrl(`${proxy.url}?max=2&connect_timeout=1`) })
    await ok(service.call('GET /ready'))
    proxy.isSilent = true
    const startedAt = performance.now()
    expect(await refusal(service.call('GET /ready'), 503)).toBe(
      'The ledger is not available: the database does not answer in time.',
    )
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    proxy.isSilent = false
    await ready(service)
  })

  test('is ready while all writers wait for a lock', async () => {
    const url = await temporaryDatabase()
    const service = await testService({ sql: openUrl(`${url}?max=4&query_timeout=10`) })
    const holder = openUrl(`${url}?max=1`)
    const locking = holder.batch([
      sql`UPDATE audit_head SET revision = revision WHERE id = 1`,
      sql`SELECT pg_sleep(2)`,
    ])
    const writes = Array.from({ length: 6 }, () => writePolicy(service))
    expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    await locking
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 200))
  })
})

/** What a write has just shown is believed for a second. */
function notReady(service: TestService, detail: RegExp): Promise<void> {
  return expect
    .poll(async () => (await service.call('GET /ready')).body.detail, { timeout: 30_000 })
    .toMatch(detail)
}

function ready(service: TestService): Promise<void> {
  return expect.poll(async () => (await service.call('GET /ready')).status, { timeout: 30_000 }).toBe(200)
}

function writePolicy(service: TestService): Promise<Answer> {
  return service.call('PUT /v1/policy', { body: { policy_id: 'new' } })
}

/** Takes the write lock of a ledger from outside. */
async function holdLock(path: string): Promise<{ release: () => void }> {
  const holder = createClient({ url: pathToFileURL(path).href })
  const lock = await holder.transaction('write')
  onTestFinished(() => holder.close())
  return { release: () => lock.close() }
}

function openUrl(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
