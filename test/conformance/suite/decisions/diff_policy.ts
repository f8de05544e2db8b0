import { describe, expect, test } from 'vitest'
import { eventOf, ingestMany, twoReleases } from '../../../support/services/builders.ts'
import { diff, ingest, ok, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** [baseline runs, candidate runs, min baseline, min candidate, min low, label, reason] */
const LABELS: readonly [number, number, number, number, number, string, string | null][] = [
  [6, 4, 6, 4, 0, 'HIGH', null],
  [6, 4, 6, 4, 4, 'HIGH', null],
  [6, 4, 6, 4, 5, 'HIGH', null],
  [6, 4, 7, 4, 4, 'MEDIUM', 'baseline sample < 7 runs'],
  [6, 4, 6, 5, 4, 'MEDIUM', 'candidate sample < 5 runs'],
  [6, 4, 7, 5, 0, 'MEDIUM', 'candidate sample < 5 runs; baseline sample < 7 runs'],
  [6, 4, 6, 5, 5, 'LOW', 'candidate sample < 5 runs; LOW floor is 5 runs'],
  [6, 4, 7, 4, 5, 'LOW', 'baseline sample < 7 runs; LOW floor is 5 runs'],
  [6, 4, 9, 9, 9, 'LOW', 'candidate sample < 9 runs; baseline sample < 9 runs; LOW floor is 9 runs'],
  [6, 4, 0, 0, 0, 'HIGH', null],
  [6, 0, 6, 0, 1, 'HIGH', null],
  [0, 0, 0, 0, 0, 'HIGH', null],
  [0, 0, 1, 0, 0, 'MEDIUM', 'baseline sample < 1 runs'],
  [0, 0, 0, 1, 1, 'LOW', 'candidate sample < 1 runs; LOW floor is 1 runs'],
]

/** Confidence and the verdict of the policy, as POST /v1/diff shows them. */
export function diffPolicyContract(makeService: MakeService): void {
  describe('confidence', () => {
    test.each(LABELS)(
      '%i and %i runs, minima %i, %i and floor %i: %s',
      async (
        baselineRuns,
        candidateRuns,
        min_baseline_runs,
        min_candidate_runs,
        min_low_runs,
        label,
        reason,
      ) => {
        const { service, pair } = await withRuns(makeService, baselineRuns, candidateRuns)
        await setPolicy(service, { min_baseline_runs, min_candidate_runs, min_low_runs })
        expect((await ok(diff(service, pair))).samples).toEqual({
          baseline_runs: baselineRuns,
          candidate_runs: candidateRuns,
          confidence: label,
          confidence_reason: reason,
        })
      },
    )

    test('takes each threshold that the policy leaves open from the workspace', async () => {
      const workspace = { diff: { min_candidate_runs: 5, min_baseline_runs: 7, min_low_runs: 3 } }
      const { service, pair } = await withRuns(makeService, 6, 4, workspace)
      const reason = async () => (await ok(diff(service, pair))).samples.confidence_reason
      expect(await reason()).toBe('candidate sample < 5 runs; baseline sample < 7 runs')
      await setPolicy(service, { min_baseline_runs: 6 })
      expect(await reason()).toBe('candidate sample < 5 runs')
      await setPolicy(service, { min_baseline_runs: 6, min_low_runs: 5 })
      expect(await reason()).toBe('candidate sample < 5 runs; LOW floor is 5 runs')
      await setPolicy(service, { min_candidate_runs: 0 })
      expect(await reason()).toBe('baseline sample < 7 runs')
    })

    test('counts the runs that the filters leave', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      await setPolicy(service, { min_baseline_runs: 1, min_candidate_runs: 1 })
      const report = await ok(diff(service, pair, { tenant_id: 'nobody' }))
      expect(report.samples).toMatchObject({ baseline_runs: 0, candidate_runs: 0, confidence: 'LOW' })
    })
  })

  describe('the policy on a diff', () => {
    const reasons = async (service: TestService, pair: readonly [string, string], policy: object) => {
      await setPolicy(service, { min_baseline_runs: 0, min_candidate_runs: 0, min_low_runs: 0, ...policy })
      const { policy: verdict } = await ok(diff(service, pair))
      expect(verdict.passed).toBe(verdict.reasons.length === 0)
      expect(verdict.evaluated_at).toBe('2026-01-31T12:00:00.000Z')
      return verdict.reasons
    }

    test('gives one reason per failed limit, in the order of the specification', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      await ingest(service, [
        eventOf({ release_id: pair[1], run_id: 'bad', model: 'm2', success: false, latency: 480 }),
      ])
      expect(
        await reasons(service, pair, {
          max_error_rate: 0.05,
          max_latency_ms: 150,
          max_cost_per_run_usd: 0.01,
          min_candidate_runs: 9,
          require_high_diff_confidence: true,
        }),
      ).toEqual([
        'candidate cost_per_run_usd 2.080000 exceeds max 0.010000',
        'candidate latency_ms_avg 160.00 exceeds max 150',
        'candidate error_rate 0.2000 exceeds max 0.0500',
        'diff confidence is MEDIUM (candidate sample < 9 runs); promotion requires HIGH',
      ])
    })

    test('judges the candidate only', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      const limits = { max_cost_per_run_usd: 1.6, max_latency_ms: 80, max_error_rate: 0 }
      expect(await reasons(service, pair, limits)).toEqual([])
      expect(await reasons(service, [pair[1], pair[0]], limits)).toEqual([
        'candidate cost_per_run_usd 2.000000 exceeds max 1.600000',
        'candidate latency_ms_avg 100.00 exceeds max 80',
      ])
    })

    test('lets a value pass that equals its limit, also where sums are inexact', async () => {
      const { service, pair } = await withRuns(makeService, 6, 0)
      // 0.1 + 0.2 USD, which is 0.30000000000000004 as doubles add.
      const tokens = { model: 'm2', input: 50, output: 50 }
      await ingestMany(service, 1, { release_id: pair[1], latency: 33, ...tokens })
      expect(await reasons(service, pair, { max_cost_per_run_usd: 0.3, max_latency_ms: 33 })).toEqual([])
      expect(await reasons(service, pair, { max_cost_per_run_usd: 0.29999999999 })).toHaveLength(1)
      expect(await reasons(service, pair, { max_latency_ms: 32 })).toHaveLength(1)
    })

    test('shows enough digits to tell a value from its limit', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      const [reason] = await reasons(service, pair, { max_cost_per_run_usd: 1.599999999 })
      const [, value, max] = /cost_per_run_usd (\S+) exceeds max (\S+)$/.exec(reason)!
      expect(Number(value)).toBeGreaterThan(Number(max))
    })

    test('skips the latency limit where the candidate has no latency', async () => {
      const { service, pair } = await withRuns(makeService, 6, 0)
      await ingest(service, [eventOf({ release_id: pair[1], run_id: 'a', latency: null })])
      expect(await reasons(service, pair, { max_latency_ms: 0 })).toEqual([])
    })

    test('passes a candidate without events on every limit', async () => {
      const { service, pair } = await withRuns(makeService, 6, 0)
      const limits = { max_cost_per_run_usd: 0, max_latency_ms: 0, max_error_rate: 0 }
      expect(await reasons(service, pair, limits)).toEqual([])
    })

    test('asks for confidence only where it says so', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      const few = { min_candidate_runs: 5 }
      expect(await reasons(service, pair, { ...few, require_high_diff_confidence: false })).toEqual([])
      expect(await reasons(service, pair, { ...few, require_high_diff_confidence: true })).toEqual([
        'diff confidence is MEDIUM (candidate sample < 5 runs); promotion requires HIGH',
      ])
    })

    test('is the one in force when the diff is asked for', async () => {
      const { service, pair } = await withRuns(makeService, 6, 4)
      expect(await reasons(service, pair, { policy_id: 'a', max_latency_ms: 1 })).toHaveLength(1)
      expect(await reasons(service, pair, { policy_id: 'b' })).toEqual([])
    })
  })
}

/** A baseline at 2 USD and 100 ms, a candidate at 1.60 USD and 80 ms a run, with so many runs each. */
async function withRuns(
  makeService: MakeService,
  baselineRuns: number,
  candidateRuns: number,
  workspace: Record<string, unknown> = {},
): Promise<{ service: TestService; pair: readonly [string, string] }> {
  const service = await makeService({ workspace })
  const { baseline, candidate } = await twoReleases(service, 0)
  await ingestMany(service, baselineRuns, { release_id: baseline, latency: 100 })
  const tokens = { model: 'm2', input: 400, output: 200 }
  await ingestMany(service, candidateRuns, { release_id: candidate, latency: 80, ...tokens })
  return { service, pair: [baseline, candidate] }
}
