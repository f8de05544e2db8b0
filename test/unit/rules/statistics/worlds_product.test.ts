import { expect, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { PRICE, answerOf } from '../../../../tools/calibration/world/ask.ts'
import { SIDES, type Runs, drawsOf } from '../../../../tools/calibration/world/runs.ts'
import { LIMITS, UNTIL, type World, changeOf } from '../../../../tools/calibration/world/seen.ts'
import { VARIANT } from '../../../../tools/calibration/world/sums.ts'
import { WORLDS } from '../../../../tools/calibration/world/worlds.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { ok } from '../../../support/services/requests.ts'
import { type TestService, testService } from '../../../support/services/service.ts'
import { summed } from '../../../support/services/segments.ts'

/** Worlds with fewer runs, as a share: what comes out is the same to the last digit, of however many. */
const CASES = [
  ['runs of 15 min, candidate of 2 h', 0.15, 0.2],
  ['runs of 15 min, 5 %, 25 %, 50 % for 2 h each', 0.2, 0],
  ['tasks shift by 10 points, by task', 0.2, 0],
  ['sessions of 20 runs, by session', 0.3, 0],
  ['100 runs a day, one release after the other', 1, 0],
] as const

test.each(CASES)('the worlds ask what a diff asks: %s', async (name, share, mean) => {
  const { traffic, hours, policy, ...world } = WORLDS.find(each => each.name === name)!
  const fewer: World['traffic'] = {
    ...traffic,
    per_hour: hour => traffic.per_hour(hour).map(runs => runs * share) as [number, number],
  }
  const change = changeOf({ ...world, hours, traffic }, mean)
  const runs = drawsOf(fewer, hours, UNTIL)(randomOf(1, name), change)
  const set = { ...LIMITS, ...policy }
  const answer = await answerOf(runs, {
    policy: set,
    window: { since: UNTIL - hours * HOUR_MS, until: UNTIL },
  })

  const service = await testService()
  service.clock.now = UNTIL
  const table = { provider: VARIANT.provider, pricing_version: 'v1', entries: [PRICE] }
  await ok(service.call('POST /v1/pricing', { body: { table } }))
  await ok(service.call('PUT /v1/policy', { body: set }))
  const ids: string[] = []
  for (const side of SIDES) {
    const release_id = await registered(service, side)
    await ingested(service, release_id, runs[side])
    ids.push(release_id)
  }
  await summed(service)
  const body = {
    baseline_release_id: ids[0],
    candidate_release_id: ids[1],
    window: `${hours}h`,
    environment: 'prod',
  }
  const report = await ok(service.call('POST /v1/diff', { body }))

  const { segments = [] } = report
  const numbers = new Map(
    (segments as { id: number; name: string }[]).map(({ id, name: own }) => [id, Number(own.slice(1))]),
  )
  const { segment_regressions, ...statistics } = plain(answer.statistics)
  const { segment_regressions: found, ...shown } = report.statistics
  expect(report.metrics).toEqual(plain(answer.metrics))
  expect(shown).toEqual(statistics)
  const named = (spots: readonly Spot[]) =>
    bySpot(spots.map(spot => ({ ...spot, segment: numbers.get(spot.segment)! })))
  for (const list of ['found', 'with_the_whole'] as const) {
    expect(named(found[list] ?? [])).toEqual(bySpot(segment_regressions[list] ?? []))
  }
  expect(found.groups).toBe(segment_regressions.groups)
  expect(report.policy).toEqual(plain(answer.policy_verdict))
})

interface Spot {
  readonly kind: string
  readonly segment: number
  readonly metric: string
}

/** In an order of their own: equals are listed by their ids, which the ledger gives. */
function bySpot(spots: readonly Spot[]): readonly Spot[] {
  const keyOf = ({ kind, segment, metric }: Spot): string => [kind, segment, metric].join(' ')
  return spots.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

// eslint-disable-next-line typescript/no-explicit-any
function plain(value: unknown): any {
  return JSON.parse(JSON.stringify(value))
}

async function registered(service: TestService, side: string): Promise<string> {
  const artifact = {
    api_version: 'v1',
    kind: 'Release',
    metadata: { name: side, version: side },
    spec: {
      agent: { agent_id: VARIANT.agent_id },
      runtime: { provider: VARIANT.provider, model: VARIANT.model },
      pricing_reference: { provider: VARIANT.provider, pricing_version: 'v1' },
    },
  }
  const body = { artifact, checksum: 'a'.repeat(64), environment: 'prod' }
  return (await ok(service.call('POST /v1/releases', { body }))).release_id
}

const BATCH = 1000

/** Ingests the runs, and for each of the day before one that counts alone. */
async function ingested(service: TestService, release_id: string, runs: Runs): Promise<void> {
  const earlier = runs.before.flatMap(({ bucket, runs: count }) =>
    Array.from({ length: count }, (_, index) => eventAt(release_id, bucket * HOUR_MS + index)),
  )
  const events = Array.from({ length: runs.n }, (_, run) => ({
    ...eventAt(release_id, runs.ended[run]!),
    tenant_id: `t${runs.tenant[run]}`,
    task_id: `k${runs.task[run]}`,
    request: { session_id: `s${runs.session[run]}` },
    metrics: { success: runs.failed[run] === 0, latency_ms: runs.latency_ms[run] },
    usage: usageOf(runs.tokens[run]!),
  }))
  const all = [...earlier, ...events].map((event, run) => ({ ...event, run_id: `${release_id}-${run}` }))
  for (let from = 0; from < all.length; from += BATCH) {
    await ok(service.call('POST /v1/events', { body: { events: all.slice(from, from + BATCH) } }))
  }
}

function eventAt(release_id: string, at: number) {
  return {
    timestamp: isoTime(at),
    agent_id: VARIANT.agent_id,
    release_id,
    tenant_id: 't1',
    task_id: 'k1',
    environment: 'prod',
    request: {},
    metrics: { success: true, latency_ms: 0 },
    usage: usageOf(0),
  }
}

function usageOf(input_tokens: number) {
  const { provider, model } = VARIANT
  return { model: { provider, model, input_tokens, output_tokens: 0, cached_input_tokens: 0 } }
}
