/**
 * Counts what requests take of the database, of threads and of JavaScript, in a ledger that is the same each time, and hashes
 * answers: JSON, `{counts: {path: {ledger: {count: number}}}, answers: {request: {field: hash}}}`. Takes the path of a new SQLite file, or the URL of an empty PostgreSQL database.
 * Node has to be started with --no-lazy-feedback-allocation, so that V8 counts the calls of every function.
 */
import { Session } from 'node:inspector/promises'
import { Worker } from 'node:worker_threads'
import { benchEvent, benchRelease, benchServices, fillEvents } from '../../bench/ledger.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/time.ts'
import { newMemo } from '../../src/ledger/world/memo.ts'
import { answerer } from '../../src/runtime/answer.ts'
import { sumEvents } from '../../src/runtime/keep.ts'
import { serverLog } from '../../src/runtime/log.ts'
import type { Services } from '../../src/runtime/services.ts'
import { openLibsqlWorker } from '../../src/sql/libsql/worker.ts'
import {
  type CallOptions,
  type Result,
  type Sql,
  type Statement,
  type Value,
  forPostgres,
  raw,
} from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { answersOf } from './answers.ts'

export type Counts = Record<string, number>

const NOW = Date.UTC(2026, 0, 15, 10, 30, 20, 500)
const HISTORY = '300 more releases and actions'
/** Agents that the board is counted with, in addition to the first one. */
const AGENTS = 200

const [place] = process.argv.slice(2) as [string]
const isFile = !place.startsWith('postgres:')
/** Events of each of the two releases. PostgreSQL, which takes longer to fill, says nothing of how much it reads. */
const LEDGERS = {
  '3,000 a side': 3000,
  ...(isFile ? { '30,000 a side': 30_000 } : { '10,000 a side': 10_000 }),
}
/** Opened for each ledger: a connection to a file counts what its 200 latest statements do. */
let db = await open()

function open(): Promise<Sql> | Sql {
  if (!isFile) return openPostgres({ url: place })
  return openLibsqlWorker({ path: place, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}

let hops = 0
const post = Reflect.get(Worker.prototype, 'postMessage')
Worker.prototype.postMessage = function countedPost(...message) {
  hops += 1
  return post.apply(this, message)
}

/** What went through the port. */
const port = { trips: 0, statements: 0, unkept: 0, rows: 0, values: 0, bytes: 0 }
const texts = new Set<string>()

function through(
  trips: number,
  statements: readonly Statement[],
  results: readonly Result[],
  { keepsPlans = false }: CallOptions = {},
): void {
  port.trips += trips
  port.statements += statements.length
  for (const statement of statements) {
    const { isFrequent } = statement
    const { text, params } = isFile ? statement : forPostgres(statement)
    texts.add(text)
    port.unkept += keepsPlans || isFrequent === true ? 0 : 1
    port.bytes += text.length + bytesOf(params)
  }
  for (const row of results.flatMap(({ rows }) => rows)) {
    port.rows += 1
    port.values += Object.keys(row).length
    port.bytes += bytesOf(Object.values(row))
  }
}

function bytesOf(values: readonly Value[]): number {
  return values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
}

/** The port to whatever `db` is. PostgreSQL is sent a transaction at once, but for the COMMIT of one that writes. */
const sql: Sql = {
  ...db,
  clock: raw(`CAST(${NOW} AS BIGINT)`),
  query: async (statement, options) => {
    const result = await db.query(statement, options)
    through(1, [statement], [result], options)
    return result
  },
  snapshot: async (statements, options) => {
    const results = await db.snapshot(statements, options)
    through(1, statements, results, options)
    return results
  },
  batch: async (statements, options) => {
    const results = await db.batch(statements, options)
    through(2, statements, results, options)
    return results
  },
  extras: {
    ...db.extras,
    ...(db.extras?.transaction && {
      transaction: (lock, use) =>
        db.extras!.transaction!(lock, toServer => {
          through(2, [lock], [])
          return use(async (statements, options) => {
            const results = await toServer(statements, options)
            through(1, statements, results, options)
            return results
          })
        }),
    }),
  },
}

let clock = NOW
/** What a request leaves to be done behind its answer is counted with it. */
const left: (() => Promise<void>)[] = []
let services: Services = {
  ...(await benchServices(sql)),
  now: () => clock,
  elapsed: () => 0,
  afterwards: work => void left.push(work),
}
const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
const [baseline, candidate] = releases
const answer = answerer(
  serverLog(
    'off',
    () => {},
    () => NOW,
  ),
)

/** Returns the answer. Throws unless it is a success. */
async function textOf(method: string, path: string, body?: unknown): Promise<string> {
  const headers = new Map(body === undefined ? [] : [['content-type', 'application/json']])
  const request = {
    method,
    url: `http://localhost${path}`,
    headers: { get: (name: string) => headers.get(name) ?? null, keys: () => headers.keys() },
    body: body === undefined ? null : JSON.stringify(body),
  }
  const peer = { kind: 'socket', address: '127.0.0.1', port: 1 } as const
  const { status, body: answered } = await answer(request, peer, async () => services)
  let text = ''
  if (typeof answered === 'string') text = answered
  else for await (const piece of answered as AsyncIterable<string>) text += piece
  for (const work of left.splice(0)) await work()
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text
}

/** Returns the length of the answer. */
async function send(method: string, path: string, body?: unknown): Promise<number> {
  return (await textOf(method, path, body)).length
}

function promote(release_id: string, window: string): Promise<number> {
  return send('POST', '/v1/promote', { release_id, environment: 'local', window, reason: 'count' })
}

let turn = 0
function ingest(length = 100, age = MINUTE_MS): Promise<number> {
  turn += 1
  const events = Array.from({ length }, (_, index) => ({
    ...benchEvent(baseline, index, NOW - age),
    run_id: `${turn}-${index}`,
  }))
  return send('POST', '/v1/events', { events })
}

const diff = { baseline_release_id: baseline, candidate_release_id: candidate, window: '7d' }
/** Requests by the name of their budget, those that change the ledger last. */
const PATHS: Record<string, () => Promise<number>> = {
  health: () => send('GET', '/health'),
  releases: () => send('GET', '/v1/releases?limit=20'),
  pointers: () => send('GET', '/v1/pointers/bench/local'),
  board: () => send('GET', '/v1/board'),
  place: () => send('GET', '/v1/places/bench/local'),
  gate: () => send('GET', `/v1/gate/bench/local?window=7d&release_id=${candidate}`),
  gate_newest: () => send('GET', '/v1/gate/bench/local?window=7d'),
  diff_warm: () => send('POST', '/v1/diff', diff),
  diff_first: () => send('POST', '/v1/diff', diff),
  diff_late: () => send('POST', '/v1/diff', diff),
  diff_next_hour: () => send('POST', '/v1/diff', diff),
  diff_task: () => send('POST', '/v1/diff', { ...diff, task_id: 'task-3' }),
  groups: () => send('POST', '/v1/diff/groups', { ...diff, by: 'tenant' }),
  runs: () => send('GET', `/v1/runs?release_id=${baseline}&window=7d&limit=100`),
  export: () => send('GET', `/v1/runs/export?release_id=${baseline}&window=7d&limit=500`),
  promote: () => promote(releases[turn++ % 2]!, '7d'),
  events: () => ingest(),
  events_first: () => ingest(),
}

function forget(): void {
  services = { ...services, memo: newMemo() }
}

/** What happens between the last two requests of a path. */
const BEFORE: Record<string, () => Promise<unknown> | void> = {
  diff_first: forget,
  place: forget,
  events_first: forget,
  diff_late: () => ingest(1, 3 * DAY_MS),
  diff_next_hour: async () => {
    await sumEvents(services)
    clock += HOUR_MS
  },
}

/** What a connection did for each statement that it keeps (sqlite.org/stmt.html). */
const PEEK = raw('SELECT sql, nstep, nsort FROM sqlite_stmt')
type Work = Map<string, { readonly steps: number; readonly sorts: number }>

/** Of all connections of a server: those of its thread that read and write, and that of point reads. */
async function workSoFar(): Promise<Work[]> {
  if (!isFile) return []
  const [written] = await db.batch([PEEK])
  const found = [await db.query(PEEK), written!, await db.query(PEEK, { isPointRead: true })]
  return found.map(({ rows }) => {
    if (rows.length > 195) throw new Error('a connection has more statements than it counts the work of')
    const others = rows.filter(row => row.sql !== PEEK.text)
    return new Map(
      others.map(row => [row.sql as string, { steps: Number(row.nstep), sorts: Number(row.nsort) }]),
    )
  })
}

async function workSince(before: readonly Work[]): Promise<{ steps: number; sorts: number }> {
  let [steps, sorts] = [0, 0]
  for (const [index, work] of (await workSoFar()).entries()) {
    for (const [text, now] of work) {
      const was = before[index]!.get(text)
      steps += now.steps - (was?.steps ?? 0)
      sorts += now.sorts - (was?.sorts ?? 0)
    }
  }
  return { steps, sorts }
}

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')

/** Calls of functions of the service, those in the threads of SQLite left out. */
async function callsDuring(act: () => Promise<unknown>): Promise<number> {
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await inspector.post('Profiler.takePreciseCoverage')
  await act()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ url }) => /\/(?:src|handlers)\//.test(url))
    .flatMap(({ functions }) => functions)
    .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0)
}

const found: Record<string, Record<string, Counts>> = {}
/** What the last request of a path said to the database. */
const sent = new Map<string, readonly string[]>()

async function count(path: string, ledger: string): Promise<void> {
  const act = PATHS[path]!
  // What a diff finds is known from the first time on; promotions of two releases take turns, and each was compared before.
  for (let warm = path.startsWith('diff') ? 1 : path === 'promote' ? 3 : 2; warm > 0; warm--) await act()
  await BEFORE[path]?.()
  const [work, before, hopsBefore] = [await workSoFar(), { ...port }, hops]
  texts.clear()
  let bytes = 0
  const calls = await callsDuring(async () => (bytes = await act()))
  const hopped = hops - hopsBefore
  sent.set(path, [...texts])
  const { steps, sorts } = await workSince(work)
  clock = NOW
  ;(found[path] ??= {})[ledger] = {
    statements: port.statements - before.statements,
    ...(isFile
      ? { 'thread hops': hopped, sorts, 'SQLite steps': steps }
      : { 'round trips': port.trips - before.trips, 'plans not kept': port.unkept - before.unkept }),
    rows: port.rows - before.rows,
    values: port.values - before.values,
    'bytes of the driver': port.bytes - before.bytes,
    calls,
    'bytes of the answer': bytes,
  }
}

/** How often the plans of statements read a whole table that grows with the history of an agent. */
async function scansOf(statements: readonly string[]): Promise<number> {
  let scans = 0
  for (const text of statements) {
    const named = text.matchAll(/\b(?:FROM|JOIN)\s+(releases|actions|run_events)\b(?:\s+(?:AS\s+)?(\w+))?/gi)
    const names = new Set([...named].flatMap(([, table, alias]) => [table, alias ?? table]))
    const params = Array.from(text.matchAll(/\?/g), () => null)
    const { rows } = await db.query({ text: `EXPLAIN QUERY PLAN ${text}`, params })
    scans += rows.filter(({ detail }) => names.has(/^SCAN (\w+)/.exec(String(detail))?.[1] ?? '')).length
  }
  return scans
}

await send('PUT', '/v1/policy', { require_high_diff_confidence: false, max_cost_increase_pct: 0.2 })
await promote(baseline, '7d')
let stored = 0
let answers: Awaited<ReturnType<typeof answersOf>> | undefined
for (const [ledger, events] of Object.entries(LEDGERS)) {
  await db.close()
  db = await open()
  const thousands = (2 * (events - stored)) / 1000
  const before = await workSoFar()
  await fillEvents(services, releases, stored, events, NOW)
  const ingested = await workSince(before)
  const filled = await workSoFar()
  await sumEvents(services)
  stored = events
  if (isFile) {
    const summed = await workSince(filled)
    ;(found.upkeep ??= {})[ledger] = {
      'SQLite steps of ingest per 1,000 events': Math.round(ingested.steps / thousands),
      'SQLite steps of upkeep per 1,000 events': Math.round(summed.steps / thousands),
    }
  }
  answers ??= await answersOf(textOf, baseline, candidate)
  for (const path of Object.keys(PATHS)) if (path !== 'events_first') await count(path, ledger)
}
// Its events would be of the ledger that the other paths are counted in.
await count('events_first', Object.keys(LEDGERS).at(-1)!)
if (isFile) {
  await send('PUT', '/v1/policy', { require_high_diff_confidence: false })
  for (let index = 0; index < 300; index++) {
    await promote(await benchRelease(services, `later ${index}`), '1m')
  }
  for (const path of ['board', 'gate_newest']) await count(path, HISTORY)
  for (let index = 0; index < AGENTS; index++) {
    await promote(await benchRelease(services, '1', `agent-${index}`), '1m')
  }
  // Each request evaluates some of the places.
  for (let evaluated = 0; evaluated < AGENTS; evaluated += 20) await PATHS.board!()
  await count('board', `${AGENTS} more agents`)
  for (const [path, statements] of sent) {
    const scans = await scansOf(statements)
    for (const counts of Object.values(found[path]!))
      counts['scans of releases, actions and run_events'] = scans
  }
}
process.stdout.write(JSON.stringify({ counts: found, answers }))
await db.close()
