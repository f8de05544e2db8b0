import { expect } from 'vitest'
import { checkWatches } from '../../../src/features/watch/tick.ts'
import { eventOf, importPrices, register } from '../services/builders.ts'
import { type Receiver, makeReceiver, payloadOf, subscribe } from '../services/receiver.ts'
import { ingest, ok, promote, setPolicy } from '../services/requests.ts'
import { type MakeService, NOON, type TestService } from '../services/service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Days before, of which each has 110 runs in the minute at which watches begin. */
const EARLIER_DAYS = 4

/** How the runs of a release go: those of the baseline take 100 ms on average and never fail. */
export interface Conduct {
  readonly latency?: number
  readonly failing?: number
  /** Share of runs that fail after a tenth of the time, with a tenth of the tokens. */
  readonly failingFast?: number
  readonly model?: string
}

/** A release that was promoted over another one of 400 runs and four earlier days, and a webhook of all that watches tell. */
export interface Scene {
  readonly service: TestService
  readonly receiver: Receiver
  readonly baseline: string
  readonly candidate: string
  /** The watch that the promotion began, where the policy wants one. */
  readonly watch_id: string
}

const WATCH_EVENTS = [
  'rollback.succeeded',
  'watch.regressed',
  'watch.rollback_blocked',
  'watch.passed',
  'watch.inconclusive',
] as const

export async function promotedScene(
  makeService: MakeService,
  policy: Readonly<Record<string, unknown>>,
  webhook: Readonly<Record<string, unknown>> = {},
): Promise<Scene> {
  const receiver = makeReceiver()
  const service = await makeService({ send: receiver.send })
  await importPrices(service)
  await setPolicy(service, policy)
  await subscribe(service, { events: WATCH_EVENTS, ...webhook })
  const [baseline, candidate] = [
    await register(service, { version: '1' }),
    await register(service, { version: '2' }),
  ]
  await runs(service, baseline, 400, NOON - 3_600_000)
  await earlierDays(service, baseline, NOON)
  await ok(promote(service, baseline, { window: '2h' }))
  const { watch_id } = await ok(promote(service, candidate, { window: '2h', actor: 'ann' }))
  return { service, receiver, baseline, candidate, watch_id }
}

/** Runs of a release at a time of earlier days, by which a watch tells what is worse from what the hour brings. */
export async function earlierDays(service: TestService, release_id: string, at: number): Promise<void> {
  for (let day = 1; day <= EARLIER_DAYS; day++) await runs(service, release_id, 110, at - day * DAY_MS)
}

let batches = 0

/** Runs of a release from a time on, two a second: costs and latencies that vary, evenly spread over time. */
export async function runs(
  service: TestService,
  release_id: string,
  count: number,
  from: number,
  { latency = 100, failing = 0, failingFast = 0, model = 'm1' }: Conduct = {},
): Promise<void> {
  const batch = batches++
  const events = Array.from({ length: count }, (_, index) => {
    const draw = (index * 37) % 100
    const part = draw < 100 * failingFast ? 0.1 : 1
    return eventOf({
      release_id,
      run_id: `${release_id}-${batch}-${index}`,
      at: from + 500 * index,
      model,
      input: part * (900 + 20 * (index % 11)),
      ...(part === 1 ? {} : { output: part * 500 }),
      latency: Math.round(part * latency * (0.8 + 0.04 * (index % 11))),
      success: draw >= 100 * Math.max(failing, failingFast),
    })
  })
  await ingest(service, events)
}

/** Lets a minute pass in which a release runs so often, and checks. */
export async function minute(
  { service, candidate }: Pick<Scene, 'service' | 'candidate'>,
  count: number,
  conduct?: Conduct,
): Promise<void> {
  if (count > 0) await runs(service, candidate, count, service.clock.now, conduct)
  service.clock.now += MINUTE_MS
  await checkWatches(service.context)
}

/** What is stored of a watch. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export function watchOf({ service, watch_id }: Pick<Scene, 'service' | 'watch_id'>): Promise<any> {
  return ok(service.call(`GET /v1/watches/${watch_id}`))
}

/** The payloads that receivers were sent, by event. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads freely
export function announced({ receiver }: Pick<Scene, 'receiver'>): Record<string, any> {
  const payloads = receiver.sent.map(payloadOf)
  const events = payloads.map(({ event }) => event as string)
  expect(new Set(events).size).toBe(events.length)
  return Object.fromEntries(payloads.map(payload => [payload.event, payload.data]))
}
