import { erase, killedAt } from '../services/retention.ts'
import { type Row, type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { DAY_MS, HOUR_MS } from '../../../src/base/time.ts'
import { aggregatesOf, engineRuns, headerOf, linesOf } from '../aggregates/aggregates.ts'
import { noteFindings } from '../../../src/features/live/findings.ts'
import { noteSources } from '../../../src/ledger/events/source_notes.ts'
import { openSession } from '../../../src/features/identity/sessions.ts'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import { checkWatches } from '../../../src/features/watch/tick.ts'
import { OPERATOR, grant } from '../services/credentials.ts'
import { PRICES, eventOf, register, releaseOf } from '../services/builders.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { jsonExport } from '../otlp/exports.ts'
import { call, child } from '../otlp/spans.ts'
import { randomLog } from './random_log.ts'
import { subscribe } from '../services/receiver.ts'
import { decision, ok, promote, rollback, setPolicy } from '../services/requests.ts'
import { NOON, type TestService } from '../services/service.ts'

/** The part of the import of cases that {@link fillLedger} leaves unfinished. */
export const UNFINISHED_PART = 7

/** Text that breaks what quotes, escapes or splits carelessly. */
const HOSTILE = `'"\\\u0001\t\n?$1 $$ %s \u2028 é 漢字 😀 \uFFFD {"a":[null]}`

/** Fills a ledger with some of everything: it must leave no table empty that a release gate writes to. */
export async function fillLedger(
  service: TestService,
  seed: number,
  events = 400,
  { mayErase = true } = {},
): Promise<string[]> {
  const random = seededRandom(seed)
  await ok(service.call('POST /v1/pricing', { body: { table: PRICES } }))
  const replacement = { table: PRICES, replace: true, reason: HOSTILE }
  await ok(service.call('POST /v1/pricing', { body: replacement }))
  const releases = [
    await register(service),
    await register(service, { model: 'm2' }),
    await register(service, { version: HOSTILE }),
  ]
  await fillFurther(service, releases[0]!)
  await fillSpans(service)
  await subscribe(service, { url: 'https://hooks.example.com/1', description: HOSTILE })
  const log = randomLog(random, releases, events).map(event => event.json)
  const odd = eventOf({
    release_id: releases[0]!,
    run_id: HOSTILE,
    tenant_id: HOSTILE,
    task_id: '',
    at: NOON - 1,
    request: { session_id: HOSTILE, trace_id: null },
    input: 1e12,
    output: 1e12,
  })
  for (let start = 0; start < log.length; start += 100) {
    const some = log.slice(start, start + 100)
    await ok(service.call('POST /v1/events', { body: { events: start === 0 ? [...some, odd] : some } }))
  }
  for (let round = 0; round < 12; round++) {
    const release = releases[Math.floor(random() * releases.length)]!
    const more = { environment: random() < 0.5 ? 'local' : 'prod', reason: `${round} ${HOSTILE}` }
    service.clock.now += 1000
    if (random() < 0.3)
      await setPolicy(service, { min_low_runs: round, max_cost_per_run_usd: random() * 200 })
    await (random() < 0.7 ? promote(service, release, more) : rollback(service, release, more))
  }
  await service.call('POST /v1/promote', {
    body: decision(releases[0]!, { environment: 'keyed' }),
    headers: { 'idempotency-key': 'key-1' },
  })
  await fillRequests(service, releases)
  await fillWatches(service, releases)
  await fillRollouts(service, releases)
  await fillRetirements(service)
  await fillFindings(service, releases[0]!)
  await fillAggregates(service, releases)
  await fillSession(service)
  if (mayErase) await eraseSomebody(service, releases[0]!)
  // Its hour is not summed yet.
  const newest = eventOf({ release_id: releases[0]!, run_id: 'newest', at: service.clock.now - 1 })
  await ok(service.call('POST /v1/events', { body: { events: [newest] } }))
  return releases
}

/** Files of a release, scores of runs and of cases, and a credential that is over: a live one would ask for itself. */
async function fillFurther(service: TestService, release_id: string): Promise<void> {
  const files = { 'prompts/a.md': { sha256: 'b'.repeat(64), bytes: 3 } }
  await ok(
    service.call('POST /v1/releases', { body: { artifact: releaseOf(), checksum: 'b'.repeat(64), files } }),
  )
  const scored = {
    ...eventOf({ release_id, run_id: 'scored', at: NOON - 1000, ttft: 40 }),
    scores: { faithfulness: 0.9 },
  }
  await ok(service.call('POST /v1/events', { body: { events: [scored] } }))
  const cases = [{ pass_rate: 1 }, { pass_rate: 0 }]
  await ok(service.call('POST /v1/scores', { body: { release_id, suite: 'regression', cases } }))
  await fillCases(service, release_id)
  await grant(service, 'over', { role: 'read' })
  await ok(service.call('DELETE /v1/tokens/over', { query: { open: 'true' }, peer: OPERATOR }))
}

/** An evaluation with its cases, and one of which the last part has not come. */
async function fillCases(service: TestService, release_id: string): Promise<void> {
  const send = async (suite: string, part: number) => {
    const cases = ['one', HOSTILE].map(id => ({ id, passed: true, scores: { faithfulness: 0.9 } }))
    const body = { release_id, suite, part, cases }
    return (await ok(service.call('POST /v1/scores/cases', { body }))).import_id as string
  }
  const import_id = await send('cases', 0)
  await ok(service.call('POST /v1/scores', { body: { release_id, suite: 'cases', import_id, parts: 1 } }))
  await send('unfinished', UNFINISHED_PART)
}

/** A call of a model whose agent has not come. */
async function fillSpans(service: TestService): Promise<void> {
  const spans = [{ ...child(2, call(7, 1)), endMs: NOON }]
  await ok(service.call('POST /v1/traces', { body: jsonExport({ spans }) }))
}

/** Leaves a day that is not whole, a record of it, and an erasure that was killed. */
async function eraseSomebody(service: TestService, release_id: string): Promise<void> {
  const at = NOON - 9 * DAY_MS
  const events = ['gone', 'going', 'stays'].map(tenant_id =>
    eventOf({ release_id, tenant_id, run_id: tenant_id, at }),
  )
  await ok(service.call('POST /v1/events', { body: { events } }))
  await erase(service.context, 'gone', { actor: { name: HOSTILE, source: 'cli' } })
  await erase(service.context, 'going', { pace: killedAt(1) }).catch(() => {})
}

/** Ends the erasure that {@link fillLedger} leaves. */
export async function endErasure(service: TestService): Promise<void> {
  await erase(service.context, 'going')
}

/** One request of each state, as a workspace makes them that demands approval. */
async function fillRequests(service: TestService, releases: readonly string[]): Promise<void> {
  const { workspace } = service.context
  const settings = workspace as { promotion_requires_approval: boolean }
  settings.promotion_requires_approval = true
  const ids: string[] = []
  for (const release of releases) {
    const body = decision(release, { environment: 'gated', reason: HOSTILE })
    ids.push((await ok(service.call('POST /v1/promote/request', { body }))).request_id as string)
  }
  const [confirmed, cancelled] = ids
  const confirm = { request_id: confirmed, approval_reason: HOSTILE }
  await ok(service.call('POST /v1/promote/confirm', { body: confirm }))
  await ok(service.call('POST /v1/promote/cancel', { body: { request_id: cancelled, reason: HOSTILE } }))
  settings.promotion_requires_approval = false
}

/** A watch that has looked, and was ended by the one that runs. */
async function fillWatches(service: TestService, releases: readonly string[]): Promise<void> {
  await setPolicy(service, { watch: { for: '2h' } })
  for (const release of releases) {
    await ok(promote(service, release, { environment: 'watched' }))
    service.clock.now += 60_000
    await checkWatches(service.context)
  }
}

/** A rollout with runs on both of its sides, one that is requested, and an acknowledgement of new capabilities. */
async function fillRollouts(service: TestService, releases: readonly string[]): Promise<void> {
  const [baseline, candidate] = releases as [string, string]
  await setPolicy(service, { max_latency_increase_pct: 0.2, max_score_drop: { faithfulness: 0.2 } })
  const place = { environment: 'rolled', reason: HOSTILE }
  const runs = (name: string, count: number, at: number) =>
    Array.from({ length: count }, (_, index) =>
      eventOf({
        release_id: index % 2 === 0 ? baseline : candidate,
        environment: 'rolled',
        run_id: `${name}-${index}`,
        model: index % 2 === 0 ? 'm1' : 'm2',
        others: [{ model: 'm2', tokens: [10, 5, 1] }],
        at: at - index,
        latency: 100,
        request: { session_id: `session-${index}` },
        scores: { faithfulness: 0.9 },
      }),
    )
  await ok(
    service.call('POST /v1/events', { body: { events: runs('before', 40, service.clock.now - 1000) } }),
  )
  await ok(promote(service, baseline, place))
  const plan = { release_id: candidate, ...place, steps: '50%:7d', max_duration: '30d' }
  const settings = service.context.workspace as { promotion_requires_approval: boolean }
  settings.promotion_requires_approval = true
  await ok(service.call('POST /v1/rollouts/request', { body: plan }))
  settings.promotion_requires_approval = false
  await ok(service.call('POST /v1/rollouts', { body: plan }))
  service.clock.now += 600_000
  await ok(service.call('POST /v1/events', { body: { events: runs('split', 8, service.clock.now - 1000) } }))
  await checkRollouts(service.context)
  const wider = { ...releaseOf(), spec: { ...releaseOf().spec, tools: { tool_names: ['send_mail'] } } }
  const registration = { artifact: wider, checksum: 'd'.repeat(64) }
  const { release_id } = await ok(service.call('POST /v1/releases', { body: registration }))
  await ok(service.call('POST /v1/acknowledgements', { body: { release_id, ...place } }))
}

/** Sums of an engine that has the runs of an environment of its own. */
async function fillAggregates(service: TestService, releases: readonly string[]): Promise<void> {
  const to = Math.floor(service.clock.now / HOUR_MS) * HOUR_MS
  const events = Array.from({ length: 20 }, (_, index) =>
    eventOf({
      release_id: releases[0]!,
      environment: 'summed',
      run_id: `summed-${index}`,
      at: to - (index + 1) * 300_000,
      latency: 100 + index,
      others: [{ model: 'm2', tokens: [10, 5, 1] }],
      scores: { faithfulness: 0.9 },
    }),
  )
  const header = headerOf(to - 2 * HOUR_MS, to, { run_url: 'https://traces.example.com/{release}' })
  await ok(service.call('POST /v1/aggregates', { body: linesOf(header, aggregatesOf(engineRuns(events))) }))
}

/** A live release that breaks a limit, answers for places, and what a source sends that isn't counted. */
async function fillFindings(service: TestService, release_id: string): Promise<void> {
  await setPolicy(service, { max_error_rate: 0.03 })
  await ok(promote(service, release_id, { environment: 'broken' }))
  const events = Array.from({ length: 20 }, (_, index) =>
    eventOf({
      release_id,
      environment: 'broken',
      run_id: `broken-${index}`,
      at: service.clock.now - 1000 - index,
      success: false,
    }),
  )
  await ok(service.call('POST /v1/events', { body: { events } }))
  await noteFindings(service.context, batch => batch())
  await ok(service.call('GET /v1/board'))
  await noteSources(service.context, [{ kind: 'unread', release_id, environment: 'broken', text: HOSTILE }])
}

/** The end of a model that was set and taken back. */
async function fillRetirements(service: TestService): Promise<void> {
  for (const retires_on of ['2026-02-20', null]) {
    const body = { provider: 'acme', model: 'm1', retires_on, reason: HOSTILE }
    await ok(service.call('POST /v1/retirements', { body }))
  }
}

/** Somebody who is signed in. */
async function fillSession(service: TestService): Promise<void> {
  await openSession(service.context, {
    kind: 'cli',
    person: {
      issuer: 'https://id.example.com',
      subject: 'u-1',
      name: HOSTILE,
      role: 'read',
      agents: null,
      environments: ['local'],
      roles_hash: 'e'.repeat(64),
    },
    proof: HOSTILE,
    idle_ms: 30 * DAY_MS,
    lasts_ms: 30 * DAY_MS,
  })
}

/** What only one database keeps, or what tells of a database and not of a ledger. */
const OF_THE_DATABASE = ['schema_migrations', 'rollup_mark', 'event_blocks']

/** All rows of all tables that the database has, whatever they are, in an order of their own. */
export async function contentsOf(db: Sql): Promise<Record<string, string[]>> {
  const names = await tableNames(db)
  const contents: Record<string, string[]> = {}
  for (const name of names.filter(table => !OF_THE_DATABASE.includes(table))) {
    const rows = await rowsOf(db, { text: `SELECT * FROM ${name}`, params: [] })
    contents[name] = rows.map(rowText).sort()
  }
  return contents
}

export async function tableNames(db: Sql): Promise<string[]> {
  const rows = await rowsOf(
    db,
    db.dialect === 'sqlite'
      ? sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`
      : sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  )
  return rows.map(row => String(row.name))
}

function rowText(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
}
