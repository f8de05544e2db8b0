import { assign, isCandidate } from '../../base/assignment.ts'
import { seededRandom } from '../../base/numbers.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Split } from '../../models/deploys/split.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { openServices } from '../../runtime/node/open.ts'
import { sumEvents } from '../../runtime/keep.ts'
import { sql } from '../../sql/port.ts'
import { type Api, callJson, goodJson } from '../service/api.ts'
import { localApi } from '../service/local.ts'
import { type RunLevel, demoRun } from './demo_runs.ts'

const ENVIRONMENT = 'prod'
const MODEL = { provider: 'acme', model: 'sonnet-large' }
const PRICES = { provider: MODEL.provider, pricing_version: '2026-contract' }
const ENTRY = { model: MODEL.model, input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.004 }
const POLICY = {
  policy_id: 'demo',
  max_cost_per_run_usd: 0.006,
  max_latency_ms: 2500,
  max_error_rate: 0.03,
  max_cost_increase_pct: 0.1,
  require_high_diff_confidence: false,
}

const CONFIRMED = { approval_reason: 'looked at the comparison' }

const SLOW: RunLevel = { inputTokens: 1400, outputTokens: 320, latencyMs: 1250, errorRate: 0.012 }
const QUICK: RunLevel = { inputTokens: 1350, outputTokens: 300, latencyMs: 900, errorRate: 0.012 }
const COSTLY: RunLevel = { inputTokens: 3900, outputTokens: 780, latencyMs: 1900, errorRate: 0.02 }
const FAILING: RunLevel = { inputTokens: 1350, outputTokens: 300, latencyMs: 700, errorRate: 0.22 }

interface Filling {
  readonly folder: string
  readonly version: string
  readonly now: number
  readonly stop: AbortSignal
}

/**
 * Fills the ledger of a folder with the thirty days up to `now` (epoch ms): three agents, decisions of a month, a live
 * release that began to fail two hours ago, a rollout, a promotion that waits for somebody, and a webhook whose receiver is
 * down. The same draws every time. Throws the reason of `stop` once that is aborted.
 */
export async function fillDemoLedger({ folder, version, now, stop }: Filling): Promise<void> {
  const environment = readEnvironment({})
  const opened = await openServices({ folder, environment, version, log: () => {} })
  const clock = { now: now - 30 * DAY_MS }
  // The database tells the same time, so that each decision is dated as it would have been.
  const services = {
    ...opened,
    now: () => clock.now,
    sql: {
      ...opened.sql,
      get clock() {
        return sql`CAST(${clock.now} AS BIGINT)`
      },
    },
  }
  const people = { team: localApi(services, 'agent-team'), onCall: localApi(services, 'on-call') }
  try {
    await sendMonth(people, new Traffic(people.team, clock, now, stop))
    await sumEvents(services)
  } finally {
    await opened.sql.close()
  }
}

/** Who decides in the sample. */
interface People {
  readonly team: Api
  readonly onCall: Api
}

async function sendMonth(people: People, traffic: Traffic): Promise<void> {
  const { team: api, onCall } = people
  await callJson(api, 'POST /v1/pricing', { body: { table: { ...PRICES, entries: [ENTRY] } } })
  await callJson(api, 'PUT /v1/policy', { body: POLICY })
  const support = await firstRelease(people, 'support-bot', '1.0.0')
  const search = await firstRelease(people, 'search-agent', '2.0.0')
  const billing = await firstRelease(people, 'billing-agent', '1.4.0')
  traffic.send('support-bot', support, SLOW, 6)
  traffic.send('search-agent', search, QUICK, 6)
  traffic.send('billing-agent', billing, QUICK, 4)

  await traffic.until({ daysAgo: 12 })
  const costly = await register(api, 'support-bot', '1.1.0')
  traffic.send('support-bot', costly, COSTLY, 10)
  await traffic.until({ daysAgo: 10 })
  await promote(people, costly, 'better answers to questions about bills')
  traffic.stop(costly)

  await traffic.until({ daysAgo: 2 })
  await callJson(api, 'POST /v1/webhooks', {
    body: {
      url: 'http://127.0.0.1:9/alerts',
      events: ['promotion.requested', 'watch.regressed', 'rollout.started'],
      description: 'its receiver is down',
    },
  })
  const next = await register(api, 'support-bot', '1.2.0')
  const waiting = await register(api, 'billing-agent', '1.5.0')
  traffic.send('support-bot', support, SLOW, 30)
  traffic.send('support-bot', next, QUICK, 10)
  traffic.send('search-agent', search, QUICK, 60)
  traffic.send('billing-agent', billing, QUICK, 20)
  traffic.send('billing-agent', waiting, QUICK, 10)

  await traffic.until({ hoursAgo: 8 })
  await promote(people, next, 'quicker, and it costs the same')
  traffic.stop(support)
  traffic.send('support-bot', next, QUICK, 30)
  await callJson(api, 'POST /v1/watches', {
    body: { agent_id: 'support-bot', environment: ENVIRONMENT, for: '2d' },
  })

  await traffic.until({ hoursAgo: 5 })
  goodJson(await request(api, waiting, 'new wording of reminders'))
  const smaller = await register(api, 'search-agent', '2.1.0')
  const { request_id } = await callJson(api, 'POST /v1/rollouts/request', {
    body: {
      ...place(smaller),
      steps: '10%:12h,50%:12h',
      max_duration: '3d',
      reason: 'a smaller prompt',
    },
  })
  await callJson(onCall, 'POST /v1/rollouts/confirm', { body: { request_id, ...CONFIRMED } })
  const { split } = await callJson(api, 'GET /v1/pointers/{agent_id}/{environment}', {
    path: { agent_id: 'search-agent', environment: ENVIRONMENT },
  })
  traffic.send('search-agent', search, QUICK, 60, split)

  await traffic.until({ hoursAgo: 2 })
  traffic.send('support-bot', next, FAILING, 60)
  await traffic.until({ hoursAgo: 0 })
}

async function firstRelease(people: People, agent: string, version: string): Promise<string> {
  const release = await register(people.team, agent, version)
  await promote(people, release, 'the first release')
  return release
}

async function register(api: Api, agent: string, version: string): Promise<string> {
  const artifact = {
    api_version: 'v1' as const,
    kind: 'Release' as const,
    metadata: { name: agent, version, description: 'Sample data.' },
    spec: { agent: { agent_id: agent }, runtime: MODEL, pricing_reference: PRICES },
  }
  const checksum = `${agent.length}${version.replaceAll('.', '')}`.padEnd(64, '0')
  const body = { artifact, checksum, environment: ENVIRONMENT }
  return (await callJson(api, 'POST /v1/releases', { body })).release_id
}

/** Promotes a release if the policy lets it: what it blocks is part of the month. */
async function promote({ team, onCall }: People, release: string, reason: string): Promise<void> {
  const answer = await request(team, release, reason)
  if (answer.status === 409) return
  const { request_id } = goodJson<{ request_id: string }>(answer)
  await onCall.send('POST /v1/promote/confirm', { body: { request_id, ...CONFIRMED } })
}

function request(api: Api, release: string, reason: string) {
  const body = { ...place(release), window: '7d', reason }
  return api.send('POST /v1/promote/request', { body })
}

function place(release_id: string) {
  return { release_id, environment: ENVIRONMENT }
}

/** The runs that come to the ledger, by release, while its clock goes on. */
class Traffic {
  readonly #api: Api
  readonly #clock: { now: number }
  readonly #end: number
  readonly #stop: AbortSignal
  readonly #random = seededRandom(30)
  readonly #streams = new Map<string, Stream>()
  readonly #counts = new Map<string, number>()

  constructor(api: Api, clock: { now: number }, end: number, stop: AbortSignal) {
    this.#api = api
    this.#clock = clock
    this.#end = end
    this.#stop = stop
  }

  /** Begins runs of a release, or changes them; with a split each session goes to the side that it is assigned. */
  send(agent: string, release: string, level: RunLevel, perHour: number, split?: Split): void {
    this.#streams.set(release, { agent, level, perHour, split })
  }

  stop(release: string): void {
    this.#streams.delete(release)
  }

  /** Brings the runs up to so long before the end, a day at a time. */
  async until({ daysAgo = 0, hoursAgo = 0 }: { daysAgo?: number; hoursAgo?: number }): Promise<void> {
    const to = this.#end - daysAgo * DAY_MS - hoursAgo * HOUR_MS
    while (this.#clock.now < to) {
      this.#stop.throwIfAborted()
      const from = this.#clock.now
      this.#clock.now = Math.min(to, from + DAY_MS)
      const events: object[] = []
      for (const [release, stream] of this.#streams) {
        for await (const event of this.#runs(release, stream, from)) events.push(event)
      }
      await callJson(this.#api, 'POST /v1/events', { body: { api_version: 'v1', events } } as never)
    }
  }

  async *#runs(release: string, { agent, level, perHour, split }: Stream, from: number) {
    const random = this.#random
    const runs = Math.round((perHour * (this.#clock.now - from)) / HOUR_MS)
    const step = (this.#clock.now - from) / runs
    const before = this.#counts.get(release) ?? 0
    this.#counts.set(release, before + runs)
    for (let index = 0; index < runs; index++) {
      const success = random() >= level.errorRate
      const at = Math.floor(from + step * (index + random()))
      const names = { agent_id: agent, release_id: release, ...MODEL }
      const run = demoRun(level, names, { at, index: before + index, success }, random)
      yield split === undefined ? run : { ...run, release_id: await sideOf(split, run.request.session_id) }
    }
  }
}

interface Stream {
  readonly agent: string
  readonly level: RunLevel
  readonly perHour: number
  readonly split: Split | undefined
}

async function sideOf({ rollout_id, share, candidate, baseline }: Split, session: string): Promise<string> {
  return (isCandidate(await assign(rollout_id, session), share) ? candidate : baseline).release_id
}
