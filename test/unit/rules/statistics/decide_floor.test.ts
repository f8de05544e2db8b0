import { describe, expect, test } from 'vitest'
import {
  type OnInconclusive,
  decideChange,
  decideDrop,
  decideFloor,
} from '../../../../src/rules/statistics/decide.ts'
import type { Estimate } from '../../../../src/rules/statistics/intervals.ts'
import { estimate, metricOf } from './metric_of.ts'

const POLICIES: readonly OnInconclusive[] = ['block', 'pass', 'estimate']

describe('a mean that may not fall below 0.8', () => {
  // What it comes to where the policy blocks, lets pass, or goes by the estimate.
  test.each<[string, Estimate | null, boolean, string | null, readonly boolean[]]>([
    ['surely above', { estimate: 0.9, low: 0.85, high: 0.95 }, true, null, [true, true, true]],
    ['from the limit on', { estimate: 0.9, low: 0.8, high: 1 }, true, null, [true, true, true]],
    ['surely below', { estimate: 0.7, low: 0.6, high: 0.79 }, true, null, [false, false, false]],
    [
      'perhaps below',
      { estimate: 0.81, low: 0.7, high: 0.9 },
      true,
      'interval_too_wide',
      [false, true, true],
    ],
    [
      'perhaps above',
      { estimate: 0.79, low: 0.7, high: 0.9 },
      true,
      'interval_too_wide',
      [false, true, false],
    ],
    ['of few runs', { estimate: 0.9, low: 0.85, high: 0.95 }, false, 'too_few_runs', [false, true, true]],
    [
      'without ends',
      { estimate: 0.9, low: null, high: null },
      true,
      'interval_too_wide',
      [false, true, true],
    ],
    ['of nothing', null, true, 'no_data', [false, false, false]],
  ])('%s', (_, value, isEnough, because, passed) => {
    const found = POLICIES.map(policy => decideFloor(value, { limit: 0.8, isEnough }, policy))
    expect(found.map(decision => decision.passed)).toEqual(passed)
    const shown = value ?? { estimate: null, low: null, high: null }
    for (const decision of found)
      expect(decision).toMatchObject({ limit: 0.8, inconclusive_because: because, ...shown })
  })

  test('may be a limit of 0, which a value of 0 keeps', () => {
    expect(decideFloor(estimate(0, 0), { limit: 0, isEnough: true }, 'block').passed).toBe(true)
    expect(decideFloor(estimate(-2, -1), { limit: 0, isEnough: true }, 'pass').outcome).toBe('fail')
  })
})

test.each([-1, 0, 1])('a mean without a lower end is not known to keep a floor of %d', limit => {
  const value = { estimate: 5, low: null, high: 9 }
  expect(decideFloor(value, { limit, isEnough: true }, 'block').outcome).toBe('inconclusive')
})

describe('a mean that may fall by 0.1', () => {
  test.each<[string, number, number, string, readonly boolean[]]>([
    ['that rose', 0.05, 0.2, 'pass', [true, true, true]],
    ['that fell a little', -0.09, -0.01, 'pass', [true, true, true]],
    ['that perhaps fell too far', -0.12, -0.04, 'inconclusive', [false, true, true]],
    ['that fell too far', -0.3, -0.11, 'fail', [false, false, false]],
  ])('%s', (_, low, high, outcome, passed) => {
    const found = POLICIES.map(policy =>
      decideDrop(metricOf({ difference: estimate(low, high) }), 0.1, policy),
    )
    expect(found.map(decision => decision.passed)).toEqual(passed)
    for (const decision of found)
      expect(decision).toMatchObject({ outcome, limit: 0.1, low: -high, high: -low })
  })

  test.each(['baseline_runs', 'candidate_runs'] as const)('is never passed without %s', side => {
    const found = POLICIES.map(policy => decideDrop(metricOf({ [side]: 0, difference: null }), 0.1, policy))
    expect(found.map(({ passed, inconclusive_because }) => [passed, inconclusive_because])).toEqual(
      POLICIES.map(() => [false, 'no_data']),
    )
  })

  test('by one run a side is left to the policy', () => {
    const one = metricOf({
      baseline_runs: 1,
      candidate_runs: 1,
      difference: { estimate: 0, low: null, high: null },
    })
    expect(POLICIES.map(policy => decideDrop(one, 0.1, policy).passed)).toEqual([false, true, true])
  })
})

describe('a baseline of 0', () => {
  const none = { baseline_mean: 0, candidate_mean: 3, relative_change: null }

  test('does not matter to a limit on the difference', () => {
    const given = metricOf({ ...none, difference: estimate(1, 4) })
    expect(decideChange(given, { limit: 5, of: 'difference' }, 'block').outcome).toBe('pass')
  })

  test('whose change is not known is near 0', () => {
    const given = metricOf({ relative_change: null })
    expect(decideChange(given, { limit: 0.1, of: 'relative_change' }, 'block').inconclusive_because).toBe(
      'baseline_near_zero',
    )
  })

  test('of too few runs says nothing of a rise', () => {
    const given = metricOf({ ...none, baseline_runs: 9, difference: estimate(1, 4) })
    expect(decideChange(given, { limit: 0.1, of: 'relative_change' }, 'block')).toMatchObject({
      outcome: 'inconclusive',
      inconclusive_because: 'too_few_runs',
    })
  })

  test('is not surely exceeded by an interval that begins at 0', () => {
    const given = metricOf({ ...none, difference: estimate(0, 4) })
    expect(decideChange(given, { limit: 0.1, of: 'relative_change' }, 'block').inconclusive_because).toBe(
      'baseline_is_zero',
    )
  })
})
