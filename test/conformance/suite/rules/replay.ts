import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { failedChecks, ingest, ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const RUNS = process.env.PROVE === '1' ? 10_000 : 40
const HOUR = 3_600_000

const orOff = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3, nil: null })

/** Keys of policies near the figures of the runs below, so that they are kept about as often as not. */
const KEYS = {
  max_cost_per_run_usd: orOff(fc.constantFrom(0, 1.6, 2, 2.5, 4)),
  max_latency_ms: orOff(fc.constantFrom(0, 80, 100, 120)),
  max_error_rate: orOff(fc.constantFrom(0, 0.05, 0.1, 1)),
  min_candidate_runs: orOff(fc.constantFrom(0, 30, 40, 500)),
  min_baseline_runs: orOff(fc.constantFrom(0, 30, 40)),
  min_low_runs: orOff(fc.constantFrom(0, 20, 35)),
  require_high_diff_confidence: fc.boolean(),
  max_cost_increase_pct: orOff(fc.constantFrom(0, 0.1, 1)),
  max_latency_increase_pct: orOff(fc.constantFrom(0, 0.1, 1)),
  max_tool_calls_increase_pct: orOff(fc.constantFrom(0.1, 1)),
  max_error_rate_increase: orOff(fc.constantFrom(0, 0.05, 0.2)),
  max_latency_p95_ms: orOff(fc.constantFrom(90, 150)),
  max_latency_p99_ms: orOff(fc.constantFrom(90, 150)),
  on_inconclusive: fc.constantFrom('block', 'pass', 'estimate'),
  sequential: fc.boolean(),
  unpriced: fc.constantFrom('refuse', 'exclude', 'exclude', 'exclude'),
} as const

const OVERRIDE = fc.record(KEYS, { requiredKeys: [] }).filter(override => Object.keys(override).length > 0)

/** Of scopes of which any two are nested or apart. */
const OVERRIDES = fc
  .tuple(
    ...['prod', 'p*', 'l*'].map(environment => fc.option(OVERRIDE.map(keys => ({ environment, ...keys })))),
  )
  .map(overrides => overrides.filter(override => override !== null))

const POLICY = fc
  .tuple(fc.record(KEYS, { requiredKeys: [] }), fc.option(OVERRIDES))
  .map(([keys, overrides]) => (overrides === null ? keys : { ...keys, overrides }))

const DECISION = fc.record({
  policy: POLICY,
  action: fc.constantFrom('promote', 'promote', 'rollback'),
  release: fc.nat(3),
  environment: fc.constantFrom('local', 'prod', 'preview'),
  window: fc.constantFrom('30m', '1h', '7d'),
  hours: fc.nat(167),
})

const PASSES = {
  policy: {},
  action: 'promote',
  release: 0,
  environment: 'local',
  window: '7d',
  hours: 0,
} as const

const BLOCKED = { ...PASSES, policy: { max_error_rate: 0 }, release: 3 } as const

/** Random decisions, decided again from what they left behind. */
export function replayContract(makeService: MakeService): void {
  describe('a replay', () => {
    test(`equals the record on ${RUNS} random decisions, and their policy is what they would be decided by`, async () => {
      const { service, releases } = await traffic(makeService)
      const seen = { passed: 0, blocked: 0, refused: 0 }
      await fc.assert(
        fc.asyncProperty(DECISION, async ({ policy, action, release, environment, window, hours }) => {
          await ok(service.call('PUT /v1/policy', { body: policy }))
          service.clock.now = NOON + hours * HOUR
          const answer = await service.call(`POST /v1/${action as 'promote'}`, {
            body: { release_id: releases[release], environment, window, reason: 'random' },
          })
          if (answer.status === 400) {
            seen.refused += 1
            return
          }
          const { action_id, policy: verdict } = answer.body.detail?.outcome ?? answer.body
          seen[verdict.passed ? 'passed' : 'blocked'] += 1
          const explanation = await ok(service.call(`GET /v1/actions/${action_id}/explain`))
          expect(explanation).toMatchObject({
            equal: true,
            recorded: { passed: verdict.passed, reasons: verdict.reasons },
            replayed: { passed: verdict.passed, reasons: verdict.reasons, unknown: [] },
          })
          const failed = explanation.limits.filter((limit: { passed: boolean }) => !limit.passed)
          if (!verdict.passed) expect(failed.map(({ why }: { why: string }) => why)).toEqual(verdict.reasons)
          else expect(failed).toEqual([])
          const tried = await ok(service.call('POST /v1/policy/test', { body: { policy, last: 1 } }))
          expect(tried).toMatchObject({ tested: 1, changed: 0, unknown: 0, changes: [] })
        }),
        { numRuns: RUNS, examples: [[PASSES], [BLOCKED]] },
      )
      expect(seen.passed).toBeGreaterThan(0)
      expect(seen.blocked).toBeGreaterThan(0)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })
}

/** Releases of one agent with runs in two environments that differ in cost, latency, errors and tools. */
async function traffic(makeService: MakeService): Promise<{ service: TestService; releases: string[] }> {
  const service = await makeService({
    workspace: {
      diff: { min_candidate_runs: 35, min_baseline_runs: 35, min_low_runs: 10 },
      promotes_from: { prod: { environment: 'local', live_for: '3h' } },
      freeze: [
        {
          environment: 'p*',
          from: 'fri 16:00',
          to: 'mon 08:00',
          reason: 'weekend',
          time_zone: 'Europe/Berlin',
        },
        { from: '2026-02-03', to: '2026-02-04', reason: 'audit' },
      ],
    },
  })
  await importPrices(service)
  const releases: string[] = []
  for (const [index, model] of ['m1', 'm1', 'm2', 'm2'].entries()) {
    const release_id = await register(service, { version: String(index), model })
    releases.push(release_id)
    for (const environment of ['local', 'prod']) {
      const events = Array.from({ length: 25 + 10 * index }, (_, run) => ({
        ...eventOf({
          release_id,
          environment,
          run_id: `${release_id}-${environment}-${run}`,
          at: NOON - run * 60_000,
          // One in a while used a model that nobody has a price for.
          model: run % 20 === 19 ? 'm3' : model,
          input: 800 + 13 * ((run * 7) % 31),
          latency: 70 + 10 * index + ((run * 11) % 37),
          success: run % (9 + index) !== 0,
        }),
      }))
      await ingest(service, events)
    }
  }
  return { service, releases }
}
