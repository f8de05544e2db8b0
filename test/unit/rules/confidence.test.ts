import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { confidenceOf } from '../../../src/rules/evidence.ts'
import { resolveThresholds } from '../../../src/rules/evidence.ts'
import type { Thresholds } from '../../../src/rules/evidence.ts'

const DEFAULTS: Thresholds = { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 }

describe('confidenceOf', () => {
  const cases: readonly [number, number, Partial<Thresholds>, string, string | null][] = [
    [500, 500, {}, 'HIGH', null],
    [1e6, 1e6, {}, 'HIGH', null],
    [500, 499, {}, 'MEDIUM', 'candidate sample < 500 runs'],
    [499, 500, {}, 'MEDIUM', 'baseline sample < 500 runs'],
    [499, 499, {}, 'MEDIUM', 'candidate sample < 500 runs; baseline sample < 500 runs'],
    [50, 50, {}, 'MEDIUM', 'candidate sample < 500 runs; baseline sample < 500 runs'],
    [500, 49, {}, 'LOW', 'candidate sample < 500 runs; LOW floor is 50 runs'],
    [49, 500, {}, 'LOW', 'baseline sample < 500 runs; LOW floor is 50 runs'],
    [0, 0, {}, 'LOW', 'candidate sample < 500 runs; baseline sample < 500 runs; LOW floor is 50 runs'],
    [0, 0, { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 }, 'HIGH', null],
    [0, 0, { min_candidate_runs: 0, min_baseline_runs: 0 }, 'HIGH', null],
    [0, 0, { min_low_runs: 0 }, 'MEDIUM', 'candidate sample < 500 runs; baseline sample < 500 runs'],
    [0, 10, { min_baseline_runs: 0, min_candidate_runs: 10 }, 'HIGH', null],
    [
      0,
      9,
      { min_baseline_runs: 0, min_candidate_runs: 10, min_low_runs: 0 },
      'MEDIUM',
      'candidate sample < 10 runs',
    ],
    // A floor above the minimums: HIGH comes first.
    [20, 20, { min_candidate_runs: 10, min_baseline_runs: 10 }, 'HIGH', null],
    [
      20,
      9,
      { min_candidate_runs: 10, min_baseline_runs: 10 },
      'LOW',
      'candidate sample < 10 runs; LOW floor is 50 runs',
    ],
  ]

  test.for(cases)(
    '%d baseline and %d candidate runs with %j are %s',
    ([baseline, candidate, given, label, reason]) => {
      expect(confidenceOf(baseline, candidate, { ...DEFAULTS, ...given })).toEqual({
        confidence: label,
        confidence_reason: reason,
      })
    },
  )

  const runs = fc.nat(1200)
  const thresholds = fc.record({ min_candidate_runs: runs, min_baseline_runs: runs, min_low_runs: runs })
  const RANK = { LOW: 0, MEDIUM: 1, HIGH: 2 }

  test('more runs never lower the confidence', () => {
    fc.assert(
      fc.property(runs, runs, fc.nat(500), fc.nat(500), thresholds, (b, c, moreB, moreC, limits) => {
        const before = confidenceOf(b, c, limits).confidence
        const after = confidenceOf(b + moreB, c + moreC, limits).confidence
        expect(RANK[after]).toBeGreaterThanOrEqual(RANK[before])
      }),
    )
  })

  test('a reason is given exactly when the confidence is not HIGH', () => {
    fc.assert(
      fc.property(runs, runs, thresholds, (b, c, limits) => {
        const { confidence, confidence_reason } = confidenceOf(b, c, limits)
        expect(confidence_reason === null).toBe(confidence === 'HIGH')
        expect(confidence_reason).not.toBe('')
      }),
    )
  })
})

describe('resolveThresholds', () => {
  const none = { min_candidate_runs: null, min_baseline_runs: null, min_low_runs: null }

  test('null defers to the workspace', () => {
    expect(resolveThresholds(none, DEFAULTS)).toEqual(DEFAULTS)
  })

  test.for(['min_candidate_runs', 'min_baseline_runs', 'min_low_runs'] as const)(
    '0 means no minimum and does not defer: %s',
    name => {
      expect(resolveThresholds({ ...none, [name]: 0 }, DEFAULTS)).toEqual({ ...DEFAULTS, [name]: 0 })
    },
  )

  test('each threshold defers on its own', () => {
    const policy = { min_candidate_runs: 1, min_baseline_runs: null, min_low_runs: 3 }
    expect(resolveThresholds(policy, DEFAULTS)).toEqual({
      min_candidate_runs: 1,
      min_baseline_runs: 500,
      min_low_runs: 3,
    })
  })
})
