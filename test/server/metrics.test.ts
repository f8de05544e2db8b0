import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Driver from 'libsql'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { routes } from '../../handlers/index.ts'
import { checkLogSize } from '../../src/ledger/doctor/doctor.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../src/sql/libsql/libsql.ts'
import { openLibsqlWorker } from '../../src/sql/libsql/worker.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { type Sql, raw, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { ROOT } from '../../src/runtime/root.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { tamperingProxy } from '../support/databases/servers/tampering_proxy.ts'
import { flood, requestBytes } from '../support/processes/flood.ts'
import { type TestSpan, jsonExport } from '../support/otlp/exports.ts'
import { call, child, root } from '../support/otlp/spans.ts'
import { eventOf, importPrices, register, twoReleases } from '../support/services/builders.ts'
import { parsePrometheus } from '../support/services/prometheus.ts'
import { ingest, ok, promote, rollback, setPolicy } from '../support/services/requests.ts'
import type { TestService } from '../support/services/service.ts'
import { socketService } from '../support/services/socket.ts'

/** Values of a metric by its labels, in the order of the scrape: `GET /health 2xx`. */
async function scraped(service: TestService, name: string): Promise<Record<string, number>> {
  const { metrics } = parsePrometheus((await service.call('GET /metrics')).text)
  const { samples } = metrics.get(name)!
  return Object.fromEntries(
    samples.map(({ suffix = '', labels, value }) => [
      [...Object.values(labels), suffix].filter(text => text !== '').join(' '),
      value,
    ]),
  )
}

describe('requests', () => {
  test('are counted by route, method and class of the status', async () => {
    const service = await socketService()
    await service.call('GET /health')
    await service.call('HEAD /health')
    await service.call('GET /v1/releases/rel_1')
    await service.call('GET /v1/releases/rel_2')
    await service.call('POST /v1/promote', { body: {} })
    expect(await scraped(service, 'service_http_requests_total')).toEqual({
      '/health GET 2xx': 1,
      '/health HEAD 2xx': 1,
      '/v1/releases/{release_id} GET 4xx': 2,
      '/v1/promote POST 4xx': 1,
    })
    expect(await scraped(service, 'service_http_requests_total')).toMatchObject({ '/metrics GET 2xx': 1 })
  })

  test('are timed by route, the bounds in seconds', async () => {
    const service = await socketService()
    for (let calls = 0; calls < 3; calls++) await service.call('GET /health')
    const times = await scraped(service, 'service_http_request_duration_seconds')
    expect(times).toMatchObject({ '/health GET +Inf _bucket': 3, '/health GET _count': 3 })
    expect(times['/health GET _sum']).toBeGreaterThan(0)
    expect(times['/health GET _sum']).toBeLessThan(30)
  })

  test('of any words make no labels: all that is no route is one', async () => {
    const service = await socketService({
      assets: async path => (path === '/app.js' ? { status: 200, headers: {}, body: 'x' } : undefined),
    })
    await service.call('GET /app.js')
    for (let n = 0; n < 20; n++) await service.call(`GET /nothing/${n}`)
    await service.call('PROPFIND /v1/releases')
    await service.call('DELETE /v1/policy')
    await service.call(`GET /v1/runs?${'x'.repeat(9000)}`)
    expect(await scraped(service, 'service_http_requests_total')).toEqual({
      'assets GET 2xx': 1,
      'none GET 4xx': 21,
      'none other 4xx': 1,
      'none DELETE 4xx': 1,
    })
  })

  test('that the ledger fails are counted as the 503 or 500 that they are', async () => {
    const service = await socketService()
    await service.sql.batch([sql`DROP TABLE releases`])
    await service.call('GET /v1/releases')
    expect(await scraped(service, 'service_http_requests_total')).toEqual({ '/v1/releases GET 5xx': 1 })
  })
})

describe('run events', () => {
  test('are counted as stored, skipped or refused', async () => {
    const service = await socketService()
    const release_id = await register(service)
    const events = [1, 2, 3].map(n => eventOf({ release_id, run_id: `r${n}` }))
    const send = (sent: readonly unknown[]) => service.call('POST /v1/events', { body: { events: sent } })
    const before = await scraped(service, 'service_run_events_received_total')
    expect(before).toEqual({ stored: 0, skipped: 0, refused: 0 })
    await send(events.slice(0, 2))
    await send(events)
    await send([...events, { ...events[0]!, run_id: 5 }])
    await service.call('POST /v1/events', { body: 'no json' })
    await service.call('POST /v1/events', { body: { events, dropped: [{}] } })
    expect(await scraped(service, 'service_run_events_received_total')).toEqual({
      stored: 3,
      skipped: 2,
      refused: 7,
    })
  })

  test('of traces are counted as stored, and spans of which no run is made as refused; what waits is neither', async () => {
    const service = await socketService()
    await importPrices(service)
    await register(service, { version: '1.5.0' })
    const send = (...spans: TestSpan[]) => service.call('POST /v1/traces', { body: jsonExport({ spans }) })
    await send(child(2, call(7, 1)))
    expect(await scraped(service, 'service_run_events_received_total')).toMatchObject({
      stored: 0,
      refused: 0,
    })
    await send(root(), child(3, call(5, 1)))
    await send(
      { ...root(), trace: 2 },
      { ...child(2, call(7, 1, { 'gen_ai.request.model': 'm9' })), trace: 2 },
    )
    expect(await scraped(service, 'service_run_events_received_total')).toMatchObject({
      stored: 1,
      refused: 1,
    })
    await service.call('POST /v1/traces', { body: 'no json' })
    expect(await scraped(service, 'service_run_events_received_total')).toMatchObject({
      stored: 1,
      refused: 2,
    })
  })
})

describe('decisions', () => {
  test('are counted by action and by what the policy said; what is only tried is not', async () => {
    const service = await socketService()
    const { baseline, candidate } = await twoReleases(service)
    await ok(promote(service, baseline))
    await ok(promote(service, candidate, { dry_run: true }))
    await promote(service, 'rel_none')
    await setPolicy(service, { max_cost_per_run_usd: 0 })
    expect((await promote(service, candidate)).status).toBe(409)
    await setPolicy(service, { min_candidate_runs: 1000, require_high_diff_confidence: true })
    expect((await promote(service, candidate, { window: '1m' })).status).toBe(409)
    await setPolicy(service, {})
    await ok(rollback(service, candidate))
    expect(await scraped(service, 'service_decisions_total')).toEqual({
      'promote pass': 1,
      'promote block': 1,
      'promote inconclusive': 1,
      'rollback pass': 1,
      'rollback block': 0,
      'rollback inconclusive': 0,
      'rollback forced': 0,
    })
  })
})

describe('the database', () => {
  test('of SQLite: how many writes were committed together, by a thread of its own too', async () => {
    const service = await socketService({ sql: await openFile() })
    const before = await scraped(service, 'service_sqlite_commit_batches')
    // An equal policy would write nothing.
    const policies = Array.from({ length: 12 }, (_, index) => ({ max_latency_ms: 1000 + index }))
    await Promise.all(policies.map(policy => setPolicy(service, policy)))
    const after = await scraped(service, 'service_sqlite_commit_batches')
    const since = (key: string): number => after[key]! - before[key]!
    expect(since('_sum')).toBe(12)
    expect(since('_count')).toBeGreaterThan(0)
    expect(since('_count')).toBeLessThanOrEqual(12)
  })

  test('of PostgreSQL: connections and who waits for one', async () => {
    const url = await temporaryDatabase()
    const service = await socketService({ sql: openUrl(`${url}?max=2`) })
    expect(await scraped(service, 'service_postgres_sessions_max')).toEqual({ '': 2 })
    const release = await holdHead(url)
    // One of two connections is for writers.
    const first = setPolicy(service, {})
    await expect
      .poll(() => scraped(service, 'service_postgres_sessions'), { timeout: 20_000 })
      .toMatchObject({ write: 1 })
    const later = [1, 2].map(index =>
      ingest(service, [eventOf({ release_id: 'rel_a', run_id: `run-${index}` })]),
    )
    const writes = [first, ...later]
    await expect
      .poll(() => scraped(service, 'service_postgres_sessions_waiting'), { timeout: 20_000 })
      .toEqual({ read: 0, write: 2 })
    expect(await scraped(service, 'service_postgres_sessions')).toMatchObject({ write: 1 })
    await release()
    await Promise.all(writes)
    expect(await scraped(service, 'service_postgres_sessions')).toMatchObject({ write: 0 })
  })

  test('of SQLite: its log, how long a reader keeps it, and that it shrinks afterwards', async () => {
    const path = join(temporaryFolder(), 'ledger.db')
    const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 0 })
    onTestFinished(() => db.close())
    await db.batch([raw('CREATE TABLE t (a BLOB)')])
    const reader = new Driver(path)
    onTestFinished(() => void reader.close())
    const log = async () => (await db.extras!.usage!()).log!
    expect((await log()).stuckMs).toBe(0)
    reader.exec('BEGIN; SELECT * FROM t')
    for (let times = 0; times < 7; times++) await db.batch([raw('INSERT INTO t VALUES (zeroblob(10000000))')])
    const first = await log()
    expect(first.bytes).toBeGreaterThan(64 * 1024 * 1024)
    expect(await checkLogSize(db)).toMatchObject([{ name: 'write_ahead_log', ok: true, warning: true }])
    await expect.poll(async () => (await log()).stuckMs).toBeGreaterThan(first.stuckMs)
    reader.exec('COMMIT')
    expect((await log()).stuckMs).toBe(0)
    await db.batch([raw('DELETE FROM t')])
    expect((await log()).bytes).toBeLessThanOrEqual(64 * 1024 * 1024)
    expect(await checkLogSize(db)).toEqual([])
  })

  test('of PostgreSQL: the oldest transaction', async () => {
    const url = await temporaryDatabase()
    const service = await socketService({ sql: openUrl(url) })
    expect(await scraped(service, 'service_oldest_reader_seconds')).toEqual({ '': 0 })
    const holder = postgres(url, { max: 1, onnotice: () => {} })
    onTestFinished(() => holder.end({ timeout: 0 }))
    await holder.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM audit_head')
    const age = async () => (await scraped(service, 'service_oldest_reader_seconds'))['']
    await expect.poll(age).toBeGreaterThan(0)
  })

  test('have what the server has open: connections, streams, and bodies that wait', async () => {
    const service = await socketService()
    const unused = await flood(service.url, 3, '')
    const [stream] = await flood(service.url, 1, requestBytes('GET /v1/stream'))
    await once(stream!, 'data')
    expect(await scraped(service, 'service_connections')).toEqual({
      new: 3,
      idle: 0,
      receiving: 0,
      working: 1,
      sending: 1,
    })
    expect(await scraped(service, 'service_streams')).toEqual({ '': 1 })
    expect(await scraped(service, 'service_bodies_waiting')).toEqual({ '': 0 })
    const { bodies } = service.context.memo
    const giveBack = Promise.withResolvers<() => void>()
    bodies.take(1e12, () => 0, giveBack.resolve)
    bodies.take(
      1,
      () => 0,
      () => {},
    )
    expect(await scraped(service, 'service_bodies_waiting')).toEqual({ '': 1 })
    ;(await giveBack.promise)()
    for (const socket of [...unused, stream!]) socket.destroy()
  })

  test('is told to be ready, or not', async () => {
    const service = await socketService()
    expect(await scraped(service, 'service_ledger_ready')).toEqual({ '': 1 })
    await service.sql.batch([sql`DROP TABLE audit_head`])
    expect(await scraped(service, 'service_ledger_ready')).toEqual({ '': 0 })
  })

  test('are told without what the ledger holds where it is gone', async () => {
    const proxy = await tamperingProxy(await temporaryDatabase())
    const service = await socketService({ sql: openUrl(`${proxy.url}?query_timeout=1`) })
    expect((await service.call('GET /metrics')).text).toMatch(/service_actions_total 0[^]*ledger_ready 1/)
    proxy.isSilent = true
    const { status, text } = await service.call('GET /metrics')
    expect(status).toBe(200)
    expect(text).not.toContain('service_actions_total')
    expect(text).toMatch(/service_ledger_ready 0\n[^]*service_http_requests_total\{route="\/metrics"/)
    proxy.isSilent = false
  })
})

test('every metric follows the conventions, and has no more series than routes and classes make', async () => {
  const service = await socketService()
  // A stream has no end to wait for.
  const { 'GET /v1/stream': _endless, ...others } = routes
  for (const route of Object.keys(others)) await service.call(route as keyof typeof others)
  const { text } = await service.call('GET /metrics')
  const { metrics } = parsePrometheus(text)
  for (const [name, { type, help }] of metrics) {
    expect(help, name).toMatch(/^[A-Z].*\.$/)
    if (type === 'counter') expect(name).toMatch(/^service_[a-z_]+_total$/)
    if (type === 'histogram') expect(name).toMatch(/^service_[a-z_]+_(?:seconds|batches)$/)
  }
  expect(text.split('\n').length).toBeLessThan(Object.keys(routes).length * 20 + 100)
})

test.each(['docs/monitoring/alerts.yml', 'deploy/grafana/release-governance.json'])(
  '%s uses metrics that there are',
  async file => {
    const services = [await socketService(), await socketService({ sql: openUrl(await temporaryDatabase()) })]
    services.push(await socketService({ sql: await openFile() }))
    const known = new Set<string>()
    for (const service of services) {
      const { metrics } = parsePrometheus((await service.call('GET /metrics')).text)
      for (const name of metrics.keys()) known.add(name)
    }
    const expressions: string[] = []
    parse(readFileSync(new URL(file, ROOT), 'utf8'), (key, value) => {
      if (key === 'expr') expressions.push(value as string)
      return value
    })
    const used = [...expressions.join('\n').matchAll(/\bservice_\w+/g)].map(([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ''),
    )
    expect(used.length).toBeGreaterThan(8)
    expect(used.filter(name => !known.has(name))).toEqual([])
  },
)

async function openFile(): Promise<Sql> {
  const path = join(temporaryFolder(), 'ledger.db')
  const db = await openLibsqlWorker({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  onTestFinished(() => db.close())
  await migrate(db, loadMigrations({ dialect: 'sqlite' }), Date.now)
  return db
}

function openUrl(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}

/** Locks the head of the trail, as an open transaction does; returns what lets it go. */
async function holdHead(url: string): Promise<() => Promise<void>> {
  const holder = postgres(url, { max: 1, onnotice: () => {} })
  await holder.unsafe('BEGIN; SELECT 1 FROM audit_head FOR UPDATE')
  return () => holder.end({ timeout: 0 })
}
