import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ledgerSize } from '../../../src/features/retention/jobs_ledger.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openRemoteLibsql } from '../../../src/sql/libsql/remote.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { expectSound } from '../../crash/verify.ts'
import { SMALL_PAGES, copy, makers } from '../../support/databases/copying.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { type Sqld, type SqldOptions, startSqld } from '../../support/databases/servers/sqld.ts'
import { contentsOf, fillLedger } from '../../support/databases/whole_ledger.ts'
import { freePort } from '../../support/processes/free_port.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { actionsOf, diff, ingest, ok, promote } from '../../support/services/requests.ts'
import { scaled } from '../../support/scale.ts'
import { testService } from '../../support/services/service.ts'

const ADD = sql`INSERT INTO counters (name, slot, value) VALUES ('tries', 0, 1)
  ON CONFLICT (name, slot) DO UPDATE SET value = counters.value + 1`

describe('a libSQL server', () => {
  test('that is killed and started again loses nothing that was acknowledged', async () => {
    const server = await started()
    const service = await testService({ sql: await migrated(server.url) })
    await importPrices(service)
    const releases = [await register(service), await register(service, { version: '2' })] as const
    const acknowledged: string[] = []
    let stored = 0
    for (let round = 0; round < scaled(2, 6); round++) {
      const writing = (async () => {
        for (let n = 0; n < scaled(10, 30); n++) {
          const event = eventOf({ release_id: releases[0], run_id: `run-${round}-${n}` })
          for (;;) {
            const { status } = await service.call('POST /v1/events', { body: { events: [event] } })
            if (status === 200) break
            expect(status).toBe(503)
          }
          stored += 1
          const { status, body } = await promote(service, releases[n % 2]!)
          if (status !== 503) acknowledged.push(body.action_id ?? body.detail.outcome.action_id)
        }
      })()
      await server.kill()
      await server.start()
      await writing
    }
    const ids = (await actionsOf(service)).map(({ action_id }) => String(action_id))
    expect(ids).toEqual(expect.arrayContaining(acknowledged))
    expect((await ok(service.call('GET /v1/metrics'))).counters.run_events_total).toBe(stored)
    await expectSound(service.sql)
  })

  test('whose answer to a write is lost is asked what it did', async () => {
    const server = await started()
    const db = await migrated(server.url)
    const proxy = await losingProxy(server.url)
    const through = openRemoteLibsql({ url: proxy.url })
    proxy.loseNext = true
    await expect(through.batch([ADD])).rejects.toMatchObject({ kind: 'uncertain' })
    expect(await rowsOf(db, sql`SELECT value FROM counters WHERE name = 'tries'`)).toEqual([{ value: 1 }])
    proxy.loseNext = true
    expect(await rowsOf(through, sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
  })

  test('that is not there or never answers is given up', async () => {
    const gone = openRemoteLibsql({ url: `http://127.0.0.1:${await freePort()}` })
    await expect(gone.batch([ADD])).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'libSQL refuses the connection: is it running, and the URL right?',
    })
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const mute = openRemoteLibsql({ url: `http://127.0.0.1:${port}?query_timeout=1` })
    await expect(mute.query(sql`SELECT 1 AS one`)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(mute.batch([ADD])).rejects.toMatchObject({ kind: 'uncertain' })
  })

  test('lets in by its token, from the URL or apart', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const server = await started({ publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string })
    const parts = [{ alg: 'EdDSA', typ: 'JWT' }, { a: 'rw' }].map(part =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const token = [...parts, sign(null, Buffer.from(parts.join('.')), privateKey).toString('base64url')].join(
      '.',
    )
    const one = sql`SELECT 1 AS one`
    expect(await rowsOf(openRemoteLibsql({ url: `${server.url}?authToken=${token}` }), one)).toEqual([
      { one: 1 },
    ])
    expect(await rowsOf(openRemoteLibsql({ url: server.url, authToken: token }), one)).toEqual([{ one: 1 }])
    for (const authToken of [undefined, `${token}x`]) {
      await expect(openRemoteLibsql({ url: server.url, authToken }).batch([ADD])).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringMatching(/^libSQL refuses the token/),
      })
    }
  })
})

describe('a replica', () => {
  test('answers what may be late, the primary what it does not know yet, and decisions', async () => {
    const primary = await started()
    const sqlOfPrimary = await migrated(primary.url)
    const replica = await started({ primary: primary.replicationUrl })
    const follower = openRemoteLibsql({ url: replica.url })
    const service = await testService({ sql: sqlOfPrimary, follower })
    await importPrices(service)
    const [a, b] = [await register(service), await register(service, { version: '2' })]
    // Read at once, so that the replica may well not have them yet.
    expect((await ok(diff(service, [a, b]))).samples.candidate_runs).toBe(0)
    await ingest(service, [eventOf({ release_id: a, run_id: 'one' })])
    await ok(promote(service, a))
    while ((await ok(diff(service, [a, a]))).samples.candidate_runs === 0) await sleep(5)
    const counts = await rowsOf(follower, sql`SELECT count(*) AS n FROM run_events`)
    expect(counts).toEqual([{ n: 1 }])
    await replica.kill()
    expect((await ok(diff(service, [a, a]))).samples.candidate_runs).toBe(1)
    expect(service.logged.map(({ message }) => message)).toContain('the follower of the ledger fails')
  })
})

const COPIES = [
  ['SQLite', 'libSQL'],
  ['libSQL', 'SQLite'],
  ['PostgreSQL', 'libSQL'],
] as const

test.each(COPIES.slice(0, scaled(1, 3)))(
  'a copy from %s to %s has every row, and goes on as the source would',
  async (from, to) => {
    const open = { ...makers, libSQL: async () => migrated((await started()).url) }
    const source = await testService({ sql: await open[from]() })
    await fillLedger(source, 7, 30)
    const target = await open[to]()
    const { checks } = await copy(source.sql, target, { limits: SMALL_PAGES })
    expect(checks.filter(check => !check.ok)).toEqual([])
    expect(await contentsOf(target)).toEqual(await contentsOf(source.sql))
  },
)

test('the size of a ledger on a libSQL server says nothing of the disk of this machine', async () => {
  const { url } = await started()
  await migrated(url)
  const environment = readEnvironment({ SERVICE_DATABASE_URL: url })
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'service.yaml'), 'default_environment: local\n')
  const size = await ledgerSize({ folder, environment, version: '0.0.0-test', log: () => {} })
  expect(size.free_bytes).toBeNull()
  expect(size.days_left).toBeNull()
})

async function started(options: SqldOptions = {}): Promise<Sqld> {
  const server = await startSqld(options)
  onTestFinished(() => server.dispose())
  return server
}

async function migrated(url: string): Promise<Sql> {
  const db = openRemoteLibsql({ url })
  await migrate(db, loadMigrations({ dialect: 'sqlite' }), Date.now)
  return db
}

interface LosingProxy {
  readonly url: string
  /** The next answer is lost, after the database has carried out the request. */
  loseNext: boolean
}

async function losingProxy(target: string): Promise<LosingProxy> {
  const proxy = { url: '', loseNext: false }
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const body = Buffer.concat(chunks)
      const answer = await fetch(`${target}${request.url}`, { method: request.method!, headers, body })
      const text = await answer.text()
      if (proxy.loseNext) {
        proxy.loseNext = false
        response.destroy()
      } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
