import { assign, isCandidate } from '../../../src/base/assignment.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import type { Pointer } from '../../../src/features/deploys/models.ts'
import { PRICES, eventOf, releaseOf } from '../services/builders.ts'
import type { WebServer } from './web_server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What a server of these stories is opened with: it begins so far behind the real time, ms. */
export const BEGINS = { behindMs: 6 * HOUR }

export const SHORT = { steps: '0%:1h,10%:10m,50%:1h', max_duration: '3d' }

const LIMITS = {
  max_latency_increase_pct: 0.2,
  max_cost_increase_pct: 0.2,
  max_error_rate_increase: 0.1,
  require_high_diff_confidence: false,
}

/** An agent with a live release, and one that may be rolled out. */
export interface Cast {
  readonly agent: string
  readonly baseline: string
  readonly candidate: string
  /** Mean latency of the candidate, ms; the live release takes 100. */
  readonly latency: number
}

/** Prices, limits, and agents whose release 1.2.0 is live in prod with a day of runs; 1.3.0 is registered. */
export async function castOf(server: WebServer, agents: Readonly<Record<string, number>>): Promise<Cast[]> {
  const { send } = server
  await send('POST /v1/pricing', { table: PRICES })
  await send('PUT /v1/policy', LIMITS)
  const cast: Cast[] = []
  for (const [agent, latency] of Object.entries(agents)) {
    const [baseline, candidate] = [
      await registered(server, agent, '1.2.0'),
      await registered(server, agent, '1.3.0'),
    ]
    const now = Date.now() - server.clock.behindMs
    const events = Array.from({ length: 480 }, (_, index) =>
      eventOf({
        agent_id: agent,
        environment: 'prod',
        release_id: baseline,
        run_id: `${agent}-before-${index}`,
        at: now - (index + 1) * 3 * MINUTE,
        latency: 100,
      }),
    )
    await send('POST /v1/events', { events })
    await decided(server, { release_id: baseline, reason: 'the first one' })
    cast.push({ agent, baseline, candidate, latency })
  }
  return cast
}

async function registered({ send }: WebServer, agent: string, version: string): Promise<string> {
  const artifact = releaseOf({ agent, version })
  const body = { artifact, checksum: 'a'.repeat(64), environment: 'prod' }
  return ((await send('POST /v1/releases', body)) as { release_id: string }).release_id
}

/** A promotion by ann, confirmed by bea where the workspace demands that. */
async function decided(
  { send }: WebServer,
  body: { readonly release_id: string; readonly reason: string },
): Promise<void> {
  const wanted = { environment: 'prod', window: '2h', actor: 'ann', ...body }
  const { request_id } = await send('POST /v1/promote/request', wanted)
  if (request_id === undefined) await send('POST /v1/promote', wanted)
  else await send('POST /v1/promote/confirm', { request_id, approval_reason: 'fine', actor: 'bea' })
}

export async function started(
  { send }: WebServer,
  { candidate }: Cast,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const body = { release_id: candidate, environment: 'prod', reason: 'cheaper model', actor: 'ann', ...SHORT }
  return ((await send('POST /v1/rollouts', { ...body, ...more })) as { rollout_id: string }).rollout_id
}

const random = seededRandom(7)
let sessions = 0

/** Lets minutes pass, ten at a time, with ten runs a minute of each agent that follow the split; and looks after each. */
export async function passed(server: WebServer, cast: readonly Cast[], minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 10) {
    const length = Math.min(10, left)
    const events = []
    for (const one of cast) events.push(...(await runsOf(server, one, length)))
    server.clock.behindMs -= length * MINUTE
    for (let from = 0; from < events.length; from += 500) {
      await server.send('POST /v1/events', { events: events.slice(from, from + 500) })
    }
    await checkRollouts(await server.ledger())
  }
}

async function runsOf({ url, clock }: WebServer, { agent, latency }: Cast, minutes: number) {
  const response = await fetch(`${url}/v1/pointers/${agent}/prod`)
  const pointer = (await response.json()) as Pointer
  const { split } = pointer
  const now = Date.now() - clock.behindMs
  const events: Record<string, unknown>[] = []
  for (let session = 0; session < 5 * minutes; session++) {
    const key = `session-${sessions++}`
    const isNew = split !== undefined && isCandidate(await assign(split.rollout_id, key), split.share)
    const { release_id } = split === undefined ? pointer : isNew ? split.candidate : split.baseline
    const mean = (isNew ? latency : 100) * (0.8 + 0.4 * random())
    for (let run = 0; run < 2; run++) {
      events.push(
        eventOf({
          agent_id: agent,
          environment: 'prod',
          release_id,
          run_id: `${key}-${run}`,
          at: now + Math.floor(random() * minutes * MINUTE),
          latency: Math.round(mean * (0.9 + 0.2 * random())),
          input: 900 + Math.round(200 * random()),
          success: random() >= 0.02,
          request: { session_id: key },
        }),
      )
    }
  }
  return events
}

export interface RolloutStory {
  readonly cast: readonly Cast[]
  /** Rollouts by their states. */
  readonly rollouts: Readonly<Record<'running' | 'paused' | 'aborted' | 'completed' | 'superseded', string>>
}

/** An agent for each state of a rollout, and new-bot, which has none yet. Ends in the present. */
export async function seedRollouts(server: WebServer): Promise<RolloutStory> {
  const cast = await castOf(server, {
    'support-bot': 103,
    'billing-bot': 100,
    'search-bot': 160,
    'triage-bot': 99,
    'mail-bot': 100,
    'new-bot': 100,
  })
  const [running, paused, aborted, completed, superseded] = cast as [Cast, Cast, Cast, Cast, Cast]
  await server.send('POST /v1/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['rollout.aborted'],
  })
  const others = [paused, aborted, completed, superseded]
  server.clock.behindMs = 200 * MINUTE
  const ids = {
    paused: await started(server, paused),
    aborted: await started(server, aborted, { reason: 'a smaller model' }),
    completed: await started(server, completed, { hold: '5%', hold_for: '7d' }),
    superseded: await started(server, superseded),
  }
  await passed(server, others, 70)
  await server.send(`POST /v1/rollouts/${ids.paused}/pause`, {
    reason: 'the help desk is closed until Monday',
    actor: 'bea',
  })
  await server.send('PUT /v1/policy', { require_high_diff_confidence: false })
  await decided(server, { release_id: superseded.candidate, reason: 'we know it' })
  await server.send('PUT /v1/policy', LIMITS)
  await passed(server, [paused, aborted, completed], 70)
  const rollouts = { ...ids, running: await started(server, running, { steps: '0%:30m,10%:40m,50%:1h' }) }
  await passed(server, [running, aborted, completed], 60)
  server.clock.behindMs = 0
  return { cast, rollouts }
}
