import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, isoTime } from '../../../../src/base/time.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  diffOf,
  failedChecks,
  ingest,
  ok,
  pointerOf,
  promote,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { minute, promotedScene, runs, watchOf } from '../../../support/watches/scene.ts'

const LIMITED = { require_high_diff_confidence: false, max_latency_increase_pct: 0.3 }
const REASON =
  /^too little evidence on latency_ms: not comparable yet against .* \(n 240 baseline, 240 candidate; the two releases never ran at once\)$/
const APART =
  'the two releases never ran at once, so the time of day may explain a difference: run both releases at once, keep 4 days of the ' +
  'baseline before the candidate in the window, or set compare_by: window in the policy for test runs'

/** What becomes of differences between sides that ran at other times. */
export function comparabilityContract(makeService: MakeService): void {
  describe('a difference', () => {
    test('is one over the time in which both ran, whatever else the window holds', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [24 * HOUR_MS, 1440],
        candidate: [HOUR_MS, 240],
      })
      const [day, hour] = [
        (await diffOf(service, ids, { window: '24h' })).statistics,
        (await diffOf(service, ids, { window: '1h' })).statistics,
      ]
      expect(day).toMatchObject({
        compare_by: 'time',
        compared: {
          by: 'common_time',
          since: isoTime(NOON - HOUR_MS),
          until: isoTime(NOON),
          block_minutes: 5,
        },
        warnings: [],
      })
      expect(day.latency_ms).toMatchObject({
        comparability_doubt: null,
        baseline_runs: 1440,
        candidate_runs: 240,
        matched: { by: 'common_time', baseline_runs: 60, candidate_runs: 240, candidate_share: 1 },
      })
      for (const metric of ['latency_ms', 'cost_per_run_usd', 'error_rate'] as const) {
        expect(day[metric].difference).toEqual(hour[metric].difference)
        expect(day[metric].relative_change).toEqual(hour[metric].relative_change)
      }
      const whole = await diffOf(service, ids, { window: '24h', compare_by: 'window' })
      expect(whole.statistics).toMatchObject({
        compare_by: 'window',
        latency_ms: { comparability_doubt: null },
        warnings: [
          'only 17 % of the runs are of times in which both sides ran (it takes 50 %): compare_by is window, so its limits ' +
            'are judged over the whole window all the same',
        ],
      })
      expect(whole.statistics).not.toHaveProperty('compared')
      expect(whole.statistics.latency_ms).not.toHaveProperty('matched')
    })

    test('takes the newest runs, however long the window is', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [30 * 24 * HOUR_MS, 7200],
        candidate: [6 * HOUR_MS, 240],
      })
      // In the last hour 16 of 40 runs more fail.
      const failed = Array.from({ length: 16 }, (_, index) =>
        eventOf({
          release_id: ids[1],
          run_id: `failed-${index}`,
          at: NOON - HOUR_MS + (index + 0.5) * 3 * MINUTE_MS,
          latency: 500,
          success: false,
        }),
      )
      await ingest(service, failed)
      await setPolicy(service, { require_high_diff_confidence: false, max_error_rate_increase: 0.02 })
      const found = []
      for (const window of ['1d', '7d', '14d', '30d']) {
        const { statistics, policy } = await diffOf(service, ids, { window })
        expect(policy.passed).toBe(false)
        expect(statistics.warnings.join()).not.toContain('did not run at once')
        found.push([statistics.compared, statistics.error_rate.difference])
      }
      const [day, ...longer] = found
      expect(day![0]).toMatchObject({ by: 'common_time', until: isoTime(NOON) })
      expect(longer).toEqual([day, day, day])
    })

    test('with a filter compares the runs that match, by time too', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [24 * HOUR_MS, 960],
        candidate: [HOUR_MS, 240],
      })
      const all = (await diffOf(service, ids, { window: '24h' })).statistics
      const own = (await diffOf(service, ids, { window: '24h', tenant_id: 't1' })).statistics
      expect(own.latency_ms).toEqual(all.latency_ms)
    })

    test('against the same hours of earlier days, where both never ran at once', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [144 * HOUR_MS, 2880, 6 * HOUR_MS],
        candidate: [6 * HOUR_MS, 240],
      })
      const { statistics } = await diffOf(service, ids, { window: '7d' })
      expect(statistics).toMatchObject({
        compared: { by: 'same_hours', block_minutes: 60, until: isoTime(NOON) },
        warnings: [
          'both releases did not run at once: the candidate is compared with the same hours of 6 earlier days of the baseline',
        ],
        latency_ms: {
          verdict: 'no_difference',
          matched: {
            by: 'same_hours',
            units: 6,
            baseline_runs: 720,
            candidate_runs: 240,
            candidate_share: 1,
          },
        },
      })
      const { low, high } = statistics.latency_ms.relative_change!
      expect(low).toBeLessThan(0)
      expect(high).toBeGreaterThan(0)
      // Three days before are too few to know how much days differ.
      const shorter = (await diffOf(service, ids, { window: '78h' })).statistics
      expect(shorter.latency_ms.inconclusive_because).toBe('not_comparable')
    })

    test('of percentiles is limited over the time in which both ran, and asks no rollback', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [24 * HOUR_MS, 1440],
        candidate: [6 * HOUR_MS, 720],
      })
      const [baseline, candidate] = ids
      await ok(promote(service, baseline, { window: '24h' }))
      const limits = { require_high_diff_confidence: false, max_latency_p95_increase_pct: 0.2 }
      await setPolicy(service, limits)
      const { statistics, policy } = await diffOf(service, ids, { window: '24h' })
      expect(policy).toMatchObject({ passed: true, reasons: [] })
      expect(statistics.limits).toMatchObject([
        { policy_key: 'max_latency_p95_increase_pct', metric: 'latency_p95', outcome: 'pass', limit: 0.2 },
      ])
      expect(statistics.latency_percentile_changes!.p95).toMatchObject({
        inconclusive_because: null,
        candidate_share: 1,
        candidate_runs: 720,
      })
      const one = await diffOf(service, ids, { window: '24h', tenant_id: 't1' })
      expect(one.statistics.latency_percentile_changes).toEqual(statistics.latency_percentile_changes)
      await setPolicy(service, { ...limits, max_latency_p95_increase_pct: 0 })
      const blocked = await promote(service, candidate, { window: '24h' })
      expect([blocked.status, blocked.body.detail.outcome.policy.reasons]).toEqual([
        409,
        [
          expect.stringMatching(
            /^too little evidence on latency_p95: .* against max_latency_p95_increase_pct/,
          ),
        ],
      ])
      await setPolicy(service, limits)
      await ok(promote(service, candidate, { window: '24h' }))
      await setPolicy(service, { ...limits, max_latency_p95_increase_pct: 0 })
      const back = await ok(rollback(service, baseline, { window: '24h' }))
      expect(back.policy.passed).toBe(true)
      const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('decides no promotion, but a rollback, which says so', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [12 * HOUR_MS, 240, 12 * HOUR_MS],
        candidate: [HOUR_MS, 240],
      })
      const [baseline, candidate] = ids
      await ok(promote(service, baseline, { window: '24h' }))
      await setPolicy(service, LIMITED)
      const blocked = await promote(service, candidate, { window: '24h' })
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome.policy.reasons).toEqual([expect.stringMatching(REASON)])
      const query = { release_id: candidate, window: '24h' }
      expect(await ok(service.call('GET /v1/gate/bot/local', { query }))).toMatchObject({
        verdict: 'inconclusive',
        reasons: blocked.body.detail.outcome.policy.reasons,
      })
      expect((await diffOf(service, ids, { window: '24h' })).statistics.warnings).toEqual([APART])
      // There is no matched estimate to go by.
      await setPolicy(service, { ...LIMITED, on_inconclusive: 'estimate' })
      expect((await promote(service, candidate, { window: '24h' })).status).toBe(409)
      await setPolicy(service, { ...LIMITED, compare_by: 'window' })
      expect(await ok(promote(service, candidate, { window: '24h' }))).toMatchObject({
        policy: { passed: true, warnings: [expect.stringContaining('compare_by is window')] },
      })
      await setPolicy(service, { ...LIMITED, on_rollback: ['max_latency_increase_pct'] })
      const back = await ok(rollback(service, baseline, { window: '24h' }))
      expect(back.policy).toMatchObject({
        passed: true,
        warnings: [
          expect.stringMatching(
            /^(?:none|only \d+ %) of the runs are of times .*: this is a rollback, so its/,
          ),
        ],
      })
      const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.evaluation.statistics).toMatchObject({
        compare_by: 'window',
        latency_ms: { comparability_doubt: null, clusters: { shared_runs_share: expect.any(Number) } },
        warnings: back.policy.warnings,
      })
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('holds up no rollback of a watch', async () => {
      const here = await promotedScene(makeService, { watch: { for: '10m', auto_rollback: true } })
      const { service, baseline, candidate } = here
      await setPolicy(service, LIMITED)
      // The live release ran a minute of the two hours, the one before it the hour until then.
      await minute(here, 60, { latency: 300 })
      expect(await watchOf(here)).toMatchObject({
        state: 'rolled_back',
        rollback: { passed: true, reasons: [] },
      })
      expect(await pointerOf(service)).toBe(baseline)
      // A promotion of the same runs would not do.
      await runs(service, candidate, 1, service.clock.now)
      const again = await promote(service, candidate, { window: '2h' })
      expect([again.status, again.body.detail.outcome.policy.reasons[0]]).toEqual([
        409,
        expect.stringMatching(/^too little evidence on latency_ms: not comparable yet against /),
      ])
    })
  })
}

type Ran = readonly [lasted_ms: number, runs: number, ended_ms_ago?: number]

/** Two equal releases that ran so long and often. */
async function sides(
  makeService: MakeService,
  { baseline, candidate }: { readonly baseline: Ran; readonly candidate: Ran },
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, [lastedMs, count, agoMs = 0]] of [baseline, candidate].entries()) {
    const events = Array.from({ length: count }, (_, index) =>
      eventOf({
        release_id: ids[side]!,
        run_id: `${side}-${index}`,
        at: NOON - agoMs - lastedMs + Math.floor(((index + 0.5) * lastedMs) / count),
        input: 1000 + ((index * 37) % 400),
        latency: 500 + ((index * 91) % 300),
      }),
    )
    await ingest(service, events)
  }
  return { service, ids }
}
