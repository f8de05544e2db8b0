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
    test('count where they began since both releases run, in all that is compared', async () => {
      const { service, ids, sides } = await scene(makeService, { minutes: 10, hours: 5 })
      const [baseline, candidate] = [
        underWay(sides.baseline, sides.began),
        underWay(sides.candidate, sides.began),
      ]
      expect([baseline.left > 5, candidate.left]).toEqual([true, 0])
      const expected = comparedRuns(sides, hoursBefore(NOON, 24))
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
      expect(statistics.scores![0]!.change.matched).toMatchObject({ baseline_runs: baseline.counted })

      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_latency_p95_increase_pct: 0.5,
        cluster_by: 'session',
      })
      const limited = (await diffOf(service, ids, { window: '24h', tails: true })).statistics
      expect(limited.latency_ms.matched).toEqual(expected.latency_ms.matched)
      expect(limited.latency_percentile_changes!.p95.baseline_runs).toBeLessThanOrEqual(baseline.counted)
      const one = (await diffOf(service, ids, { window: '24h', tenant_id: 't0' })).statistics
      const ofOne = comparedRuns(
        { baseline: sides.baseline.filter(isOfFirst), candidate: sides.candidate.filter(isOfFirst) },
        hoursBefore(NOON, 24),
      )
      expect(one.latency_ms.difference).toEqual(ofOne.latency_ms.difference)
      const byTask = (await diffOf(service, ids, { window: '24h', compare_by: 'task' })).statistics
      expect(byTask.latency_ms.matched).toMatchObject({
        by: 'task',
        candidate_runs: sides.candidate.filter(hasSucceeded).length,
      })
      expect(byTask.latency_ms.matched!.baseline_runs).toBeLessThan(
        sides.baseline.filter(({ ts }) => ts >= sides.began).length,
      )
    })

    test('that are not over say so', async () => {
      const { service, ids } = await scene(makeService, { minutes: 40, hours: 1, perMinute: 6 })
      const { statistics } = await diffOf(service, ids, { window: '24h' })
      expect(statistics.latency_ms.inconclusive_because).toBe('not_comparable')
      expect(statistics.error_rate.comparability_doubt).toBeNull()
      expect(statistics.warnings).toContainEqual(
        expect.stringMatching(
          /^latency is not comparable yet: runs take about \d+ min, and the younger release began about (?:60 min|[12] h) ago/,
        ),
      )
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 })
      const { policy } = await diffOf(service, ids, { window: '24h' })
      expect(policy).toMatchObject({
        passed: false,
        reasons: [
          expect.stringMatching(
            /^too little evidence on latency_ms: not comparable yet .* runs take about \d+ min, and both releases ran for about (?:60 min|[12] h)\)$/,
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

/** Runs of the time since then that began before it, and that did not. */
function underWay(runs: readonly Run[], at: number): { readonly left: number; readonly counted: number } {
  const since = runs.filter(({ ts }) => ts >= at)
  const left = since.filter(({ ts, latency_ms }) => ts - latency_ms < at).length
  return { left, counted: since.length - left }
}

/** A baseline of a day, and a candidate that takes half of the runs since so many hours; runs last so many minutes. */
async function scene(
  makeService: MakeService,
  {
    minutes,
    hours,
    perMinute = 1.5,
  }: { readonly minutes: number; readonly hours: number; readonly perMinute?: number },
): Promise<{
  readonly service: TestService
  readonly ids: readonly [string, string]
  readonly sides: { readonly baseline: Run[]; readonly candidate: Run[]; readonly began: number }
}> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  const random = randomOf(5, 'long runs')
  const from = NOON - hours * HOUR_MS
  const run = () => ({ latency_ms: lasting(minutes * MINUTE_MS, 1, random), failed: random.uniform() < 0.05 })
  const of = (since: number) => runsOf({ from: since, to: NOON, perMinute, run }, NOON, random)
  const [baseline, candidate] = [of(NOON - 8 * HOUR_MS), of(from)]
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
  const began = Math.min(...candidate.map(({ ts, latency_ms }) => ts - latency_ms))
  return { service, ids, sides: { baseline, candidate, began } }
}
