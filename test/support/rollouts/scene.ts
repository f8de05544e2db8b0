import { assign, isCandidate, userUnit } from '../../../src/base/assignment.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import type { Pointer } from '../../../src/features/deploys/models.ts'
import { eventOf, importPrices, register } from '../services/builders.ts'
import { type Receiver, makeReceiver, subscribe } from '../services/receiver.ts'
import { ingest, ok, promote, setPolicy } from '../services/requests.ts'
import { type MakeService, NOON, type ServiceOptions, type TestService } from '../services/service.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

/** A live release with a day of runs behind it, and one that is to be rolled out. */
export interface RolloutScene {
  readonly service: TestService
  readonly receiver: Receiver
  readonly baseline: string
  readonly candidate: string
  readonly random: () => number
  runs: number
}

const ROLLOUT_EVENTS = [
  'rollout.started',
  'rollout.advanced',
  'rollout.paused',
  'rollout.resumed',
  'rollout.aborted',
  'rollout.completed',
  'rollout.expired',
  'promote.succeeded',
  'promote.blocked',
] as const

/** Limits that an unchanged release of a few hundred runs passes. */
export const LIMITS = {
  max_latency_increase_pct: 0.2,
  max_cost_increase_pct: 0.2,
  max_error_rate_increase: 0.1,
}

export async function rolloutScene(
  makeService: MakeService,
  policy: Readonly<Record<string, unknown>> = LIMITS,
  options: ServiceOptions = {},
): Promise<RolloutScene> {
  const receiver = makeReceiver()
  const service = await makeService({ send: receiver.send, ...options })
  await importPrices(service)
  await setPolicy(service, policy)
  await subscribe(service, { events: ROLLOUT_EVENTS })
  const baseline = await register(service, { version: '1' })
  const candidate = await register(service, { version: '2' })
  const scene = { service, receiver, baseline, candidate, random: seededRandom(7), runs: 0 }
  await ingest(
    service,
    Array.from({ length: 480 }, (_, index) =>
      eventOf({
        release_id: baseline,
        run_id: `before-${index}`,
        at: NOON - (index + 1) * 3 * MINUTE_MS,
        latency: 100,
      }),
    ),
  )
  if (options.workspace?.promotion_requires_approval === true) await confirmedPromotion(service, baseline)
  else await ok(promote(service, baseline, { window: '2h' }))
  return scene
}

async function confirmedPromotion(service: TestService, release_id: string): Promise<void> {
  const body = { release_id, environment: 'local', window: '2h', reason: 'first', actor: 'ann' }
  const { request_id } = await ok(service.call('POST /v1/promote/request', { body }))
  await ok(
    service.call('POST /v1/promote/confirm', { body: { request_id, approval_reason: 'fine', actor: 'bea' } }),
  )
}

/** Steps of a rollout that tests have the patience for. */
const SHORT = { steps: '0%:1h,10%:10m,50%:1h', max_duration: '1d' }

export function start({ service, candidate }: RolloutScene, body: Readonly<Record<string, unknown>> = {}) {
  return service.call('POST /v1/rollouts', {
    body: { release_id: candidate, environment: 'local', reason: 'cheaper', actor: 'ann', ...SHORT, ...body },
  })
}

/** How runs of the candidate go: those of the baseline take 100 ms on average, and 1 of 50 fails. */
export interface Conduct {
  readonly latency?: number
  readonly failing?: number
  /** Runs per minute, in sessions of two. */
  readonly perMinute?: number
  /** Share of the candidate's runs that never arrive. */
  readonly lost?: number
  /** Whether programs take no notice of the split. */
  readonly deaf?: boolean
  /** Share of the runs that say no session. */
  readonly nameless?: number
  /** What identifies runs. */
  readonly by?: 'session' | 'tenant' | 'user'
  /** Whether runs call a tool and are scored. */
  readonly rich?: boolean
  /** What runs call their model; m1 unless given. */
  readonly model?: string
}

/** Lets so many minutes pass, a few at a time, in which programs follow the split; and looks after each. */
export async function pass(
  scene: RolloutScene,
  minutes: number,
  conduct: Conduct = {},
  every = 5,
): Promise<void> {
  const { service } = scene
  for (let passed = 0; passed < minutes; passed += every) {
    await traffic(scene, every, conduct)
    await checkRollouts(service.context)
  }
}

/** Lets so many minutes pass, with runs on the release that each is assigned to, which arrive at their end. */
export async function traffic(scene: RolloutScene, minutes: number, conduct: Conduct): Promise<void> {
  const { service, random } = scene
  const {
    latency = 100,
    failing = 0.02,
    perMinute = 10,
    lost = 0,
    deaf = false,
    nameless = 0,
    by = 'session',
    rich = false,
    model = 'm1',
  } = conduct
  const pointer = (await ok(service.call('GET /v1/pointers/bot/local'))) as Pointer
  const { split } = pointer
  const sessions = Math.round((perMinute * minutes) / 2)
  const events: Record<string, unknown>[] = []
  for (let session = 0; session < sessions; session++) {
    const number = scene.runs++
    const key = by === 'session' ? `session-${number}` : `${by}-${number % 150}`
    const unit = by === 'user' && split !== undefined ? await userUnit(split.assignment_key!, key) : key
    const isNew = split !== undefined && isCandidate(await assign(split.rollout_id, unit), split.share)
    const arm = split === undefined ? pointer : isNew && !deaf ? split.candidate : split.baseline
    const isCandidateRun = arm.release_id === scene.candidate
    if (isNew && random() < lost) continue
    const level = 0.8 + 0.4 * random()
    for (let run = 0; run < 2; run++) {
      const mean = isCandidateRun ? latency : 100
      const event: Record<string, unknown> = {
        ...eventOf({
          release_id: arm.release_id,
          run_id: `${by}-${number}-${run}`,
          at: service.clock.now + Math.floor(random() * minutes * MINUTE_MS),
          latency: Math.round(mean * level * (0.9 + 0.2 * random())),
          model,
          input: 900 + Math.round(200 * random()),
          success: random() >= (isCandidateRun ? failing : 0.02),
          ...(by === 'tenant' ? { tenant_id: key } : {}),
          ...(by === 'session' && random() >= nameless ? { request: { session_id: key } } : {}),
          ...(rich ? { scores: { faithfulness: 0.8 + 0.1 * random() } } : {}),
        }),
        ...(by === 'user' && split !== undefined ? { assignment: { unit } } : {}),
      }
      if (rich)
        (event.usage as { tools?: unknown }).tools = [
          { tool_name: 'search', invocations: 1 + Math.round(random()) },
        ]
      events.push(event)
    }
  }
  service.clock.now += minutes * MINUTE_MS
  for (let from = 0; from < events.length; from += 500) await ingest(service, events.slice(from, from + 500))
}

/** The rollout as it is now. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export async function rolloutOf({ service }: Pick<RolloutScene, 'service'>): Promise<any> {
  const { rollouts } = await ok(service.call('GET /v1/rollouts'))
  return rollouts[0]
}
