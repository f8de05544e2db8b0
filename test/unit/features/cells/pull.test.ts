import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../../src/base/time.ts'
import { dueOf, pull, runPulls, verify } from '../../../../src/features/cells/jobs_pull.ts'
import { workspaceConfig } from '../../../../src/runtime/documents.ts'
import { SERVICE_ACTOR } from '../../../../src/ledger/trail/chain.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import type { CellEngine } from '../../../../src/models/documents/workspace.ts'
import { openPostgres } from '../../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../../support/databases/postgres.ts'
import { cellsOf, engineRuns } from '../../../support/cells/cells.ts'
import { eventOf, importPrices, register, releaseOf } from '../../../support/services/builders.ts'
import { NOON, type TestService, testService } from '../../../support/services/service.ts'

const { signal } = new AbortController()

/** An engine that speaks ClickHouse's HTTP, and has one run a minute of a release. */
async function clickHouse(service: TestService, more: Partial<CellEngine> = {}) {
  await importPrices(service)
  const release_id = await register(service)
  const state = { runs: 1, status: 200, hangs: false, requests: [] as string[], users: [] as unknown[] }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      state.requests.push(text)
      state.users.push([request.headers['x-clickhouse-user'], request.headers['x-clickhouse-key']])
      if (state.hangs) return
      response.statusCode = state.status
      if (state.status !== 200) return void response.end('Code: 60. Table runs does not exist')
      const [from, to] = [/ts_ms >= (\d+)/, /ts_ms < (\d+)/].map(each => Number(each.exec(text)![1]))
      const events = Array.from({ length: ((to! - from!) / MINUTE_MS) * state.runs }, (_, index) =>
        eventOf({
          release_id,
          run_id: `${index}`,
          at: from! + Math.floor(index / state.runs) * MINUTE_MS,
          latency: 40,
        }),
      )
      const kind = text.includes("'latency'") ? 'latency' : 'runs'
      const cells = cellsOf(engineRuns(events), { strata: false }).filter(({ cell }) => cell === kind)
      response.end(cells.map(cell => JSON.stringify(cell)).join('\n'))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  })
  const engine: CellEngine = {
    name: 'clickhouse-eu',
    engine: 'clickhouse',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user: 'reader',
    password_ref: 'CLICKHOUSE_PASSWORD',
    allow_private: true,
    ...more,
  }
  return { engine, state, release_id }
}

function newService(): Promise<TestService> {
  return testService({ secret: name => (name === 'CLICKHOUSE_PASSWORD' ? 'hunter2' : undefined) })
}

const runsOf = async ({ sql: db }: TestService): Promise<number> =>
  Number((await rowsOf(db, sql`SELECT coalesce(sum(runs), 0) AS n FROM rollup_hours`))[0]!.n)

test('cells are read from where the last ones ended, with an overlap, and a day of them once a night', async () => {
  const here = await newService()
  const { engine, state } = await clickHouse(here)
  const due = async () => dueOf(here.context, engine)
  const to = NOON - 2 * MINUTE_MS
  expect(await due()).toEqual({ from: NOON - 25 * HOUR_MS, to, covered_to: null, isNightly: false })
  await pull(here.context, engine, { ...(await due()), actor: SERVICE_ACTOR, signal })
  expect(await runsOf(here)).toBe(25 * 60 - 2)
  expect(state.users[0]).toEqual(['reader', 'hunter2'])
  expect(state.requests).toHaveLength(10)
  here.clock.now = NOON + 5 * MINUTE_MS
  expect(await due()).toEqual({
    from: NOON - HOUR_MS,
    to: NOON + 3 * MINUTE_MS,
    covered_to: to,
    isNightly: false,
  })
  await pull(here.context, engine, { ...(await due()), actor: SERVICE_ACTOR, signal })
  expect(await runsOf(here)).toBe(25 * 60 + 3)
  here.clock.now = NOON + 13 * HOUR_MS
  expect(await due()).toMatchObject({ from: NOON - 12 * HOUR_MS, isNightly: true })
})

test('an engine that says something else by now is reported by the hour, and nothing is written', async () => {
  const here = await newService()
  const { engine, state } = await clickHouse(here)
  const pulling = { from: NOON - 3 * HOUR_MS, to: NOON, actor: SERVICE_ACTOR, signal }
  await pull(here.context, engine, pulling)
  expect(await verify(here.context, engine, pulling)).toEqual([])
  state.runs = 2
  const hours = [3, 2, 1].map(back => NOON / HOUR_MS - back)
  expect(await verify(here.context, engine, pulling)).toEqual(
    hours.map(hour => ({ hour, before: 60, after: 120 })),
  )
  expect(await runsOf(here)).toBe(180)
})

test.each([
  ['it answers with an error', { status: 404 }, {}, /answered 404: Code: 60/],
  [
    'it is at a private address that is not declared',
    {},
    { allow_private: false },
    /private or reserved|loopback/,
  ],
  ['it has no url', {}, { url: undefined, url_ref: 'NO_SUCH' }, /NO_SUCH is not set/],
  ['its schema is not known of it', {}, { engine: 'postgres', schema: 'otel' }, /known of clickhouse alone/],
  ['Langfuse has no project', {}, { schema: 'langfuse' }, /takes a project/],
])('an engine is left where %s', async (_, state, more, text) => {
  const here = await newService()
  const made = await clickHouse(here, more as Partial<CellEngine>)
  Object.assign(made.state, state)
  const pulling = { from: NOON - HOUR_MS, to: NOON, actor: SERVICE_ACTOR, signal }
  await expect(pull(here.context, made.engine, pulling)).rejects.toThrow(text)
  expect(await runsOf(here)).toBe(0)
})

test('PostgreSQL is read by its url, where that is declared', async () => {
  const url = await temporaryDatabase()
  const here = await testService({ secret: name => (name === 'WAREHOUSE_URL' ? url : undefined) })
  await importPrices(here)
  const release_id = await register(here)
  const warehouse = openPostgres({ url })
  onTestFinished(() => warehouse.close())
  await warehouse.batch([
    sql`CREATE TABLE our_runs AS SELECT CAST(${release_id} AS text) AS release_id, CAST('local' AS text) AS environment,
        CAST('bot' AS text) AS agent_id, CAST('acme' AS text) AS provider, CAST('m1' AS text) AS model,
        CAST(${NOON - HOUR_MS} AS bigint) + 1000 * n AS ts_ms, true AS is_end, n % 10 > 0 AS success, n AS latency_ms,
        n AS input_tokens, 7 AS output_tokens, 0 AS cached_input_tokens
      FROM generate_series(0, 3599) AS n`,
  ])
  onTestFinished(async () => void (await warehouse.batch([sql`DROP TABLE our_runs`])))
  const engine: CellEngine = {
    name: 'warehouse',
    engine: 'postgres',
    url_ref: 'WAREHOUSE_URL',
    table: 'our_runs',
  }
  const pulling = { from: NOON - HOUR_MS, to: NOON, actor: SERVICE_ACTOR, signal }
  await expect(pull(here.context, engine, pulling)).rejects.toThrow('allow_private: true')
  await pull(here.context, { ...engine, allow_private: true }, pulling)
  const [sums] = await rowsOf(
    here.sql,
    sql`SELECT sum(runs) AS runs, sum(errors) AS errors, sum(latency_sum) AS latency_sum, sum(input_sq) AS input_sq
      FROM rollup_hours`,
  )
  const below = 3600
  const input_sq = ((below - 1) * below * (2 * below - 1)) / 6
  expect(sums).toEqual({ runs: below, errors: 360, latency_sum: (below * (below - 1)) / 2, input_sq })
})

test('traces are asked for with the releases that the ledger knows', async () => {
  const here = await newService()
  const { engine, state, release_id } = await clickHouse(here, { schema: 'otel', longest_run: '2h' })
  const again = await register(here, { version: '2' })
  await here.call('POST /v1/releases', {
    body: { artifact: releaseOf({ version: '3' }), checksum: 'b'.repeat(64) },
  })
  await register(here, { version: '3' })
  state.status = 500
  const pulling = { from: NOON - HOUR_MS, to: NOON, actor: SERVICE_ACTOR, signal }
  await expect(pull(here.context, engine, pulling)).rejects.toThrow('answered 500')
  // Version 3 means two releases that differ.
  expect(state.requests[0]).toContain(
    `WITH [('bot', '2', '${again}', 'm1', 'acme'), ('bot', '1', '${release_id}', 'm1', 'acme')] AS known`,
  )
  expect(state.requests[0]).toContain(`${NOON - HOUR_MS} - ${2 * HOUR_MS}`)
})

test('an engine that hangs is left when the server stops', async () => {
  const here = await newService()
  const { engine, state } = await clickHouse(here)
  state.hangs = true
  const stopping = new AbortController()
  const pulling = pull(here.context, engine, {
    from: NOON - HOUR_MS,
    to: NOON,
    actor: SERVICE_ACTOR,
    signal: stopping.signal,
  })
  await vi.waitUntil(() => state.requests.length > 0)
  stopping.abort()
  await expect(pulling).rejects.toThrow(/did not answer|abort/)
})

test('of several servers one asks at a time', async () => {
  const here = await newService()
  const { engine, state } = await clickHouse(here)
  const workspace = { ...here.context.workspace, sources: [engine] }
  const services = { ...here.context, workspace }
  const runners = [1, 2, 3].map(() => runPulls(services, { folder: '.', firstMs: 0 }))
  await vi.waitUntil(async () => (await runsOf(here)) === 25 * 60 - 2, { timeout: 30_000 })
  await Promise.all(runners.map(runner => runner.stop()))
  expect(state.requests).toHaveLength(10)
})

test.each([
  [{ name: 'A' }, 'sources[0].name'],
  [{ engine: 'oracle' }, 'sources[0].engine'],
  [{ url: '' }, 'sources[0].url'],
  [{ url_ref: 'lower' }, 'sources[0].url_ref'],
  [{ user: 7 }, 'sources[0].user'],
  [{ password_ref: 'lower' }, 'sources[0].password_ref'],
  [{ command: [] }, 'sources[0].command'],
  [{ schema: 'oracle' }, 'sources[0].schema'],
  [{ table: '' }, 'sources[0].table'],
  [{ parts: '' }, 'sources[0].parts'],
  [{ scores: 1 }, 'sources[0].scores'],
  [{ project: '' }, 'sources[0].project'],
  [{ longest_run: 'long' }, 'sources[0].longest_run'],
  [{ every: 'often' }, 'sources[0].every'],
  [{ delay: 5 }, 'sources[0].delay'],
  [{ overlap: '-1h' }, 'sources[0].overlap'],
  [{ run_url: 'ftp://a' }, 'sources[0].run_url'],
  [{ allow_private: 'yes' }, 'sources[0].allow_private'],
  [{ password: 'secret' }, 'sources[0].password'],
])('a source of service.yaml with %j is refused by its field', (more, field) => {
  const source = { name: 'a', engine: 'clickhouse', url: 'https://a.example', ...more }
  expect(() => workspaceConfig({ sources: [source] })).toThrow(field)
})
