import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, isoTime } from '../../../../src/base/time.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diffOf, ingest, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import {
  type Run,
  comparedRuns,
  hasSucceeded,
  hoursBefore,
  lasting,
  runsOf,
} from '../../../support/statistics/run_worlds.ts'

/** Runs that last minutes, of a release that began not long ago: dated when they end, its long ones come in last. */
export function longRunsContract(makeService: MakeService): void {
  describe('runs that last minutes', () => {
    test.each([
      ['since both releases run', 1],
      ['since both run, or since the share of the traffic changed', 8],
    ])('count where they began and ended %s, in all that is compared', async (_when, times) => {
      const { service, ids, sides } = await scene(makeService, { minutes: 10, hours: 5, times })
      const expected = await comparedRuns(sides, hoursBefore(NOON, 24))
      const { moments } = expected.plan.cut
      expect(moments!.at).toHaveLength(times === 1 ? 1 : 2)
      const [baseline, candidate] = [
        underWay(sides.baseline, moments!.at),
        underWay(sides.candidate, moments!.at),
      ]
      expect([baseline.left > 5, candidate.left > 0]).toEqual([true, times > 1])
      const { statistics } = await diffOf(service, ids, { window: '24h', tails: true })
      for (const metric of ['latency_ms', 'error_rate'] as const) {
        const { plan: _, ...own } = expected
        expect(statistics[metric].difference).toEqual(own[metric].difference)
        expect(statistics[metric].matched).toEqual(own[metric].matched)
      }
      expect(statistics.cost_per_run_usd.matched).toMatchObject(runsOfMatch(expected.latency_ms.matched))
      // What was under way counts outside of the comparison.
      expect([statistics.latency_ms.baseline_runs, statistics.latency_ms.candidate_runs]).toEqual([
        sides.baseline.filter(hasSucceeded).length,
        sides.candidate.filter(hasSucceeded).length,
      ])
      expect(statistics.scores![0]!.change.matched).toMatchObject(runsOfMatch(expected.error_rate.matched))

      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_latency_p95_increase_pct: 0.5,
        cluster_by: 'session',
      })
      const limited = (await diffOf(service, ids, { window: '24h', tails: true })).statistics
      expect(limited.latency_ms.matched).toEqual(expected.latency_ms.matched)
      expect(limited.latency_percentile_changes!.p95.baseline_runs).toBeLessThanOrEqual(baseline.counted)
      const one = (await diffOf(service, ids, { window: '24h', tenant_id: 't0' })).statistics
      const ofOne = await comparedRuns(
        { baseline: sides.baseline.filter(isOfFirst), candidate: sides.candidate.filter(isOfFirst) },
        hoursBefore(NOON, 24),
      )
      expect(one.latency_ms.difference).toEqual(ofOne.latency_ms.difference)
      const byTask = (await diffOf(service, ids, { window: '24h', compare_by: 'task' })).statistics
      expect(byTask.latency_ms.matched).toMatchObject({
        by: 'task',
        candidate_runs: sides.candidate.filter(hasSucceeded).length - candidate.leftSucceeded,
      })
      expect(byTask.latency_ms.matched!.baseline_runs).toBeLessThan(
        sides.baseline.filter(({ ts }) => ts >= moments!.at[0]!).length,
      )
    })

    test('that are not over say so', async () => {
      const { service, ids } = await scene(makeService, { minutes: 40, hours: 1, perMinute: 6 })
      const { statistics } = await diffOf(service, ids, { window: '24h' })
      expect(statistics.latency_ms.inconclusive_because).toBe('not_comparable')
      expect(statistics.error_rate.comparability_doubt).toBeNull()
      expect(statistics.warnings).toContainEqual(
        expect.stringMatching(
          /^(?:cost and latency are|latency is) not comparable yet: runs take about \d+ min, and the younger release began about (?:59|6\d) min ago/,
        ),
      )
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 })
      const { policy } = await diffOf(service, ids, { window: '24h' })
      expect(policy).toMatchObject({
        passed: false,
        reasons: [
          expect.stringMatching(
            /^too little evidence on latency_ms: not comparable yet .* runs take about \d+ min, and both releases ran for about (?:59|6\d) min\)$/,
          ),
        ],
      })
    })
  })
}

const isOfFirst = (run: Run): boolean => run.latency_ms % 2 === 0

function runsOfMatch(
  matched: { readonly baseline_runs: number; readonly candidate_runs: number } | null | undefined,
) {
  return { baseline_runs: matched!.baseline_runs, candidate_runs: matched!.candidate_runs }
}

/** Runs since the first of these times that began before one of them and ended after it, and the others. */
function underWay(runs: readonly Run[], times: readonly number[]) {
  const since = runs.filter(({ ts }) => ts >= times[0]!)
  const left = since.filter(({ ts, latency_ms }) => times.some(at => ts >= at && ts - latency_ms < at))
  return {
    left: left.length,
    leftSucceeded: left.filter(hasSucceeded).length,
    counted: since.length - left.length,
  }
}

/**
 * A baseline of a day, and a candidate that runs since so many hours: in the first half of them so many times less often. Runs
 * last so many minutes.
 */
async function scene(
  makeService: MakeService,
  {
    minutes,
    hours,
    perMinute = 1.5,
    times = 1,
  }: {
    readonly minutes: number
    readonly hours: number
    readonly perMinute?: number
    readonly times?: number
  },
): Promise<{
  readonly service: TestService
  readonly ids: readonly [string, string]
  readonly sides: { readonly baseline: Run[]; readonly candidate: Run[] }
}> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  const random = randomOf(5, 'long runs')
  const from = NOON - hours * HOUR_MS
  const run = () => ({ latency_ms: lasting(minutes * MINUTE_MS, 1, random), failed: random.uniform() < 0.05 })
  const of = (since: number, rate: (at: number) => number) =>
    runsOf({ from: since, to: NOON, perMinute: rate, run }, NOON, random)
  const half = NOON - (hours / 2) * HOUR_MS
  const [baseline, candidate] = [
    of(NOON - 8 * HOUR_MS, () => perMinute),
    of(from, at => (at < half ? perMinute / times : perMinute)),
  ]
  for (const [side, runs] of [baseline, candidate].entries()) {
    await ingest(
      service,
      runs.map((one, index) => ({
        ...eventOf({
          release_id: ids[side]!,
          run_id: `${side}-${index}`,
          at: one.ts,
          latency: one.latency_ms,
          success: !one.failed,
          input: 1000 + (index % 7),
          tenant_id: isOfFirst(one) ? 't0' : 't1',
          task_id: `k${one.latency_ms % 3}`,
          scores: { quality: (one.latency_ms % 5) / 4 },
          request: { session_id: `s-${side}-${index % 200}` },
        }),
        timestamp: isoTime(one.ts),
      })),
    )
  }
  return { service, ids, sides: { baseline, candidate } }
}
