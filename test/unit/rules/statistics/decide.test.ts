import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type OnInconclusive,
  decideChange,
  decideRise,
  decideValue,
  withoutSuccess,
} from '../../../../src/rules/statistics/decide.ts'
import type { MetricStatistics } from '../../../../src/rules/statistics/metric.ts'
import { estimate, metricOf } from './metric_of.ts'

const RELATIVE = { limit: 0.1, of: 'relative_change' } as const
const change = (low: number, high: number): Partial<MetricStatistics> => ({
  relative_change: estimate(low, high),
})

describe('a limit of +10 %', () => {
  const cases: readonly [
    string,
    Partial<MetricStatistics>,
    string,
    string | null,
    readonly [boolean, boolean, boolean],
  ][] = [
    // What an inconclusive outcome comes to: block, pass, estimate.
    ['within', change(-0.02, 0.08), 'pass', null, [true, true, true]],
    ['up to the limit', change(-0.02, 0.1), 'pass', null, [true, true, true]],
    ['past it by rounding alone', change(-0.02, 0.1 + 1e-15), 'pass', null, [true, true, true]],
    ['past it', change(-0.02, 0.1 + 1e-11), 'inconclusive', 'interval_too_wide', [false, true, true]],
    [
      'round about it, mostly beyond',
      change(0.09, 0.2),
      'inconclusive',
      'interval_too_wide',
      [false, true, false],
    ],
    ['from the limit on', change(0.1, 0.2), 'inconclusive', 'interval_too_wide', [false, true, false]],
    ['beyond', change(0.11, 0.2), 'fail', null, [false, false, false]],
    [
      'no runs of the candidate',
      { candidate_runs: 0, difference: null, relative_change: null },
      'inconclusive',
      'no_data',
      [false, true, false],
    ],
    [
      'nine runs, far beyond',
      { candidate_runs: 9, ...change(0.5, 0.9) },
      'inconclusive',
      'too_few_runs',
      [false, true, false],
    ],
    [
      'nine runs, within',
      { baseline_runs: 9, ...change(-0.1, 0.05) },
      'inconclusive',
      'too_few_runs',
      [false, true, true],
    ],
    [
      'too few tenants',
      {
        difference: { estimate: 1, low: null, high: null },
        relative_change: { estimate: 0.01, low: null, high: null },
      },
      'inconclusive',
      'too_few_clusters',
      [false, true, true],
    ],
    [
      'skewed and small, within',
      { is_skewed_small_candidate: true, ...change(-0.2, 0.05) },
      'inconclusive',
      'skewed_small_candidate',
      [false, true, true],
    ],
    [
      'skewed and small, beyond',
      { is_skewed_small_candidate: true, ...change(0.2, 0.5) },
      'fail',
      null,
      [false, false, false],
    ],
    [
      'a skewed and small baseline, within',
      { is_skewed_small_baseline: true, ...change(-0.2, 0.05) },
      'pass',
      null,
      [true, true, true],
    ],
    [
      'a skewed and small baseline, beyond',
      { is_skewed_small_baseline: true, ...change(0.2, 0.5) },
      'inconclusive',
      'skewed_small_baseline',
      [false, true, false],
    ],
    [
      'a skewed and small baseline, neither',
      { is_skewed_small_baseline: true, ...change(0.05, 0.5) },
      'inconclusive',
      'interval_too_wide',
      [false, true, false],
    ],
    [
      'sides that ran at other times, within',
      { comparability_doubt: 'not_comparable', ...change(-0.2, 0.05) },
      'inconclusive',
      'not_comparable',
      [false, true, true],
    ],
    [
      'sides that ran in a burst, beyond',
      { comparability_doubt: 'too_few_blocks', ...change(0.2, 0.5) },
      'inconclusive',
      'too_few_blocks',
      [false, true, false],
    ],
    [
      'constant, point within',
      { relative_change: { estimate: 0.1, low: 0.1, high: 0.1 } },
      'pass',
      null,
      [true, true, true],
    ],
    [
      'constant, point beyond',
      { relative_change: { estimate: 0.11, low: 0.11, high: 0.11 } },
      'fail',
      null,
      [false, false, false],
    ],
    [
      'a baseline of 0 and a candidate of 0',
      { baseline_mean: 0, candidate_mean: 0, relative_change: null, difference: estimate(0, 0) },
      'pass',
      null,
      [true, true, true],
    ],
    [
      'a baseline of 0 and a candidate surely above',
      { baseline_mean: 0, candidate_mean: 3, relative_change: null, difference: estimate(1, 5) },
      'fail',
      null,
      [false, false, false],
    ],
    [
      'a baseline of 0 and a candidate perhaps above',
      { baseline_mean: 0, candidate_mean: 3, relative_change: null, difference: estimate(-1, 7) },
      'inconclusive',
      'baseline_is_zero',
      [false, true, false],
    ],
    [
      'a baseline that may be 0',
      { relative_change: { estimate: 0.05, low: null, high: null } },
      'inconclusive',
      'baseline_near_zero',
      [false, true, true],
    ],
  ]

  test.each(cases)('%s', (_, given, outcome, because, passed) => {
    const policies: readonly OnInconclusive[] = ['block', 'pass', 'estimate']
    const found = policies.map(policy => decideChange(metricOf(given), RELATIVE, policy))
    expect(found.map(decision => decision.passed)).toEqual(passed)
    for (const decision of found)
      expect(decision).toMatchObject({ outcome, inconclusive_because: because, limit: 0.1 })
    const settledBy = found.map(decision => decision.decided_by)
    if (because === null) expect(settledBy).toEqual(['interval', 'interval', 'interval'])
    else expect(settledBy).toEqual(['policy', 'policy', found[2]!.estimate === null ? 'policy' : 'estimate'])
  })

  test('a baseline is 0 by the runs that are compared', () => {
    const decide = (candidate_mean: number) => {
      const matched = { ...metricOf({}).matched!, baseline_mean: 0, candidate_mean }
      const difference = estimate(candidate_mean, candidate_mean)
      const given = metricOf({ baseline_mean: 3, difference, relative_change: null, matched })
      return decideChange(given, RELATIVE, 'pass')
    }
    expect(decide(5)).toMatchObject({ passed: false, outcome: 'fail' })
    expect(decide(0)).toMatchObject({ passed: true, outcome: 'pass' })
  })

  test('that is undecided by the estimate where there is none is not passed', () => {
    const given = metricOf({ candidate_runs: 0, difference: null, relative_change: null })
    expect(decideChange(given, RELATIVE, 'estimate')).toMatchObject({
      passed: false,
      decided_by: 'policy',
      estimate: null,
    })
  })
})

test('a limit of 0 is never passed by an unchanged release that varies at all', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1, noNaN: true }), width => {
      const given = metricOf({ difference: estimate(-width, width) })
      expect(decideChange(given, { limit: 0, of: 'difference' }, 'block').outcome).toBe('inconclusive')
    }),
  )
  expect(
    decideChange(metricOf({ difference: estimate(0, 0) }), { limit: 0, of: 'difference' }, 'block').passed,
  ).toBe(true)
})

test('a higher limit never fails what a lower one lets pass', () => {
  const end = fc.double({ min: -1, max: 1, noNaN: true })
  const policy = fc.constantFrom<OnInconclusive[]>('block', 'pass', 'estimate')
  fc.assert(
    fc.property(end, end, end, end, policy, (a, b, x, y, onInconclusive) => {
      const given = metricOf(change(Math.min(a, b), Math.max(a, b)))
      const passes = (limit: number): boolean =>
        decideChange(given, { limit, of: 'relative_change' }, onInconclusive).passed
      expect(Number(passes(Math.max(x, y)))).toBeGreaterThanOrEqual(Number(passes(Math.min(x, y))))
    }),
  )
})

describe('a limit on a value of the candidate', () => {
  test.each([
    [{ estimate: 900, low: 850, high: 1000 }, 'pass'],
    [{ estimate: 1000, low: 950, high: 1050 }, 'inconclusive'],
    [{ estimate: 1100, low: 1001, high: 1200 }, 'fail'],
    [null, 'inconclusive'],
  ] as const)('%j against 1000 is %s', (value, outcome) => {
    expect(decideValue(value, 1000, 'block')).toMatchObject({ outcome, passed: outcome === 'pass' })
  })

  test('that is not known is due to too few runs', () => {
    expect(decideValue(null, 1000, 'estimate')).toEqual({
      passed: false,
      outcome: 'inconclusive',
      inconclusive_because: 'too_few_runs',
      decided_by: 'policy',
      limit: 1000,
      estimate: null,
      low: null,
      high: null,
    })
  })
})

describe('a rise that is known, or not', () => {
  const rise = { estimate: 0.1, low: 0.05, high: 0.15 }

  test.each([
    [0.2, 'pass', null],
    [0.01, 'fail', null],
    [0.1, 'inconclusive', 'interval_too_wide'],
  ] as const)('against %d is %s', (limit, outcome, inconclusive_because) => {
    expect(decideRise(rise, null, limit, 'block')).toMatchObject({
      outcome,
      inconclusive_because,
      estimate: 0.1,
      low: 0.05,
      high: 0.15,
    })
  })

  test('with a doubt proves nothing, and goes by its estimate where the policy says so', () => {
    expect(decideRise(rise, 'not_comparable', 0.01, 'block')).toMatchObject({
      passed: false,
      outcome: 'inconclusive',
      inconclusive_because: 'not_comparable',
    })
    expect(decideRise(rise, 'not_comparable', 0.2, 'estimate')).toMatchObject({
      passed: true,
      decided_by: 'estimate',
    })
    expect(decideRise(null, 'not_comparable', 0.2, 'estimate')).toMatchObject({
      passed: false,
      decided_by: 'policy',
      inconclusive_because: 'not_comparable',
    })
    expect(decideRise(null, null, 0.2, 'block')).toMatchObject({ inconclusive_because: 'too_few_runs' })
  })
})

test('a limit on a rise from a baseline without a run that succeeded passes undecided', () => {
  expect(withoutSuccess(0.1)).toEqual({
    passed: true,
    outcome: 'inconclusive',
    inconclusive_because: 'no_success',
    decided_by: 'policy',
    limit: 0.1,
    estimate: null,
    low: null,
    high: null,
  })
})
