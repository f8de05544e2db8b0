import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import { decideLimits, intervalLimits, limitReasons } from '../../../../src/rules/limits.ts'
import { sumsOf } from '../../../../src/rules/rollup.ts'
import { type ScoreSide, scoreStatistics } from '../../../../src/features/scores/rules_statistics.ts'

const side = (runs: Record<string, number[]>, suite: Record<string, number[]> = {}): ScoreSide => ({
  // In five blocks of time, which is enough to compare.
  runs: Object.entries(runs).flatMap(([name, scores]) =>
    [0, 1, 2, 3, 4].map(block => ({
      name,
      cluster: String(block),
      ...sumsOf(scores.filter((_, index) => Math.floor(index / 2) % 5 === block)),
    })),
  ),
  suites:
    Object.keys(suite).length === 0
      ? []
      : [
          {
            suite: 's',
            import_id: 'scr_1',
            cases: Math.max(...Object.values(suite).map(scores => scores.length)),
            created_at: 0,
            parts: 0,
            facts: undefined,
            table: undefined,
            aggregates: Object.entries(suite).map(([name, scores]) => ({
              name,
              cluster: 's',
              ...sumsOf(scores),
            })),
          },
        ],
})
const times = (n: number, ...scores: number[]): number[] => Array.from({ length: n }, () => scores).flat()
const compared = (baseline: ScoreSide, candidate: ScoreSide, minRuns = 0) =>
  scoreStatistics({ baseline, candidate }, { min_runs: minRuns }, undefined)

describe('scores', () => {
  test('have mean, number and interval per side, by Student where they are numbers', () => {
    const [{ name, baseline, candidate, change }] = compared(
      side({ f: times(50, 0.8, 0.9) }),
      side({ f: times(50, 0.7, 0.8) }),
    ) as [ReturnType<typeof compared>[number]]
    expect(name).toBe('f')
    // Values of a standard deviation of 0.05, and one more at each end of the scale: s = √((0.25 + 0.5)/99), t₉₉ = 1.98422.
    expect(baseline).toEqual({
      estimate: 0.85,
      low: expect.closeTo(0.83273, 6),
      high: expect.closeTo(0.86727, 6),
    })
    expect(candidate!.estimate).toBe(0.75)
    expect(change).toMatchObject({ baseline_runs: 100, candidate_runs: 100, verdict: 'worse' })
    expect(change.difference!.estimate).toBe(-0.1)
  })

  test('that pass or not are rates: none failed is no proof that none will', () => {
    const [{ baseline, candidate }] = compared(side({ p: times(20, 1) }), side({ p: times(20, 0) })) as [
      ReturnType<typeof compared>[number],
    ]
    expect(baseline).toEqual({ estimate: 1, low: expect.closeTo(0.838875, 5), high: 1 })
    expect(candidate).toEqual({ estimate: 0, low: 0, high: expect.closeTo(0.161125, 5) })
  })

  test('of a suite are named by it, say which import they are of, and need no runs of the workspace', () => {
    const found = compared(
      side({}, { p: times(20, 0.5, 0.6) }),
      side({ p: [1] }, { p: times(20, 0.5, 0.7) }),
      500,
    )
    expect(found.map(({ name }) => name)).toEqual(['p', 's/p'])
    expect(found[1]).toMatchObject({ baseline_import_id: 'scr_1', candidate_import_id: 'scr_1' })
    expect([found[0]!.change.min_runs, found[1]!.change.min_runs]).toEqual([500, 10])
    expect(found[0]).toMatchObject({ baseline: null, change: { inconclusive_because: 'no_data' } })
  })
})

describe('scores of runs are compared over the time in which both ran', () => {
  /** By block from 0 to 23: how many runs have a score, and their mean; -1 are runs of before. */
  const aggregates = (of: Record<number, readonly [runs: number, mean: number]>, isRate = false) =>
    Object.entries(of).map(([cluster, [runs, mean]]) => ({
      name: 'q',
      cluster,
      ...sumsOf(
        Array.from({ length: runs }, (_, index) => {
          const isHigh = index < Math.round(runs * (isRate ? mean : 0.5))
          return isRate ? Number(isHigh) : mean + (isHigh ? 0.1 : -0.1)
        }),
      ),
    }))
  const change = (baseline: object, candidate: object, isRate = false, match = { blocks: 24 }) => {
    const [b, c] = [baseline, candidate].map(of => ({ runs: aggregates(of as never, isRate), suites: [] }))
    const options = { min_runs: 10, match: { by: 'common_time', ...match }, over_window: false } as const
    return scoreStatistics({ baseline: b!, candidate: c! }, options, undefined)[0]!.change
  }
  const each = (runs: number, mean: number, every = 1) =>
    Object.fromEntries(
      Array.from({ length: 24 }, (_, block) => [block, [block % every === 0 ? runs : 0, mean]]),
    )

  test.each([false, true])('what the baseline scored before is no fall of the candidate', isRate => {
    const found = change({ ...each(20, 0.6), [-1]: [4000, 0.9] }, each(20, 0.6), isRate)
    expect(found.difference!.estimate).toBeCloseTo(0, 9)
    expect(found).toMatchObject({
      comparability_doubt: null,
      matched: { by: 'common_time', baseline_runs: 480 },
    })
    expect(change({ ...each(20, 0.6), [-1]: [4000, 0.9] }, each(20, 0.4), isRate).verdict).toBe('worse')
  })

  test('few that are scored are compared by fewer, longer blocks', () => {
    const found = change(each(9, 0.6, 3), each(9, 0.4, 3))
    expect(found).toMatchObject({ verdict: 'worse', comparability_doubt: null })
    expect(found.matched).toMatchObject({ baseline_share: 1, candidate_share: 1 })
    // One run of each in each block would be nothing to compare.
    expect(change(each(2, 0.6), each(2, 0.4)).matched!.candidate_runs).toBe(48)
  })

  test('where nothing is shared nothing is compared', () => {
    const found = change(each(20, 0.6), each(20, 0.6), false, { blocks: 0 })
    expect(found).toMatchObject({ difference: null, inconclusive_because: 'not_comparable' })
  })
})

describe('a limit on a score', () => {
  const measured = (candidate: ScoreSide) =>
    ({ scores: compared(side({ f: times(100, 0.8, 0.9) }), candidate) }) as Parameters<typeof decideLimits>[1]
  const reasons = (policy: Partial<Policy>, candidate: ScoreSide): string[] =>
    limitReasons(decideLimits(policy as Policy, measured(candidate)))
  const good = side({ f: times(100, 0.8, 0.9) })
  const bad = side({ f: times(100, 0.7, 0.8) })

  test.each<[string, Partial<Policy>, ScoreSide, string[]]>([
    ['is kept', { min_scores: { f: 0.8 }, max_score_drop: { f: 0.02 } }, good, []],
    [
      'is not kept',
      { min_scores: { f: 0.8 } },
      bad,
      [
        'candidate score f 0.7500 [0.7401, 0.7599] is below min_scores.f 0.8000 (n 200 baseline, 200 candidate)',
      ],
    ],
    [
      'on a drop is not kept',
      { max_score_drop: { f: 0.02 } },
      bad,
      [
        'candidate drop of score f 0.1000 [0.0861, 0.1139] exceeds max_score_drop.f 0.0200 (n 200 baseline, 200 candidate)',
      ],
    ],
    [
      'can not be told',
      { min_scores: { f: 0.85 } },
      good,
      [
        'too little evidence on score f: 0.8500 [0.8401, 0.8599] against min_scores.f 0.8500 (n 200 baseline, ' +
          '200 candidate; the interval contains the limit)',
      ],
    ],
    [
      'can not be told, and the estimate counts',
      { min_scores: { f: 0.85 }, on_inconclusive: 'estimate' },
      good,
      [],
    ],
    [
      'without data blocks, whatever becomes of doubts',
      { min_scores: { g: 0.8 }, max_score_drop: { g: 0.1 }, on_inconclusive: 'pass' },
      good,
      [
        'too little evidence on score g: no data against min_scores.g 0.8000 (n 0 baseline, 0 candidate; one release has no data)',
        'too little evidence on drop of score g: no data against max_score_drop.g 0.1000 (n 0 baseline, 0 candidate; one release has no data)',
      ],
    ],
    [
      'on a drop without a baseline blocks too',
      { max_score_drop: { h: 0.1 }, on_inconclusive: 'pass' },
      side({ h: times(20, 0.5, 0.6) }),
      [
        'too little evidence on drop of score h: no data against max_score_drop.h 0.1000 (n 0 baseline, 40 candidate; one release has no data)',
      ],
    ],
  ])('that %s', (_name, policy, candidate, expected) => {
    expect(reasons(policy, candidate)).toEqual(expected)
  })

  test('counts among those that must hold at once', () => {
    const policy = { min_scores: { a: 1, b: 1 }, max_score_drop: { a: 1 }, max_cost_increase_pct: 0.1 }
    expect(intervalLimits(policy as unknown as Policy)).toBe(4)
  })
})
