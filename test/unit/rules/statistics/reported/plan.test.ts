import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { factorAt, normalFactor } from '../../../../../src/rules/statistics/intervals.ts'
import {
  isMeanProved,
  meanProvable,
  provingFactor,
  rateProvable,
  runsNeeded,
} from '../../../../../src/rules/statistics/plan.ts'
import { rateDifference, rateVariance } from '../../../../../src/rules/statistics/rates.ts'
import { momentsOf } from '../samples_of.ts'

const PLANNED = { alpha: 0.05, tuned_for_runs: 1000, planned_limit: 0.1, limits: 1, min_runs: 10 }
const FIXED = { ...PLANNED, sequential: false }
/** Values spread as they do, with none added. */
const NONE = (): number => 0
const SEQUENTIAL = { ...PLANNED, sequential: true }

describe('the smallest limit on a mean', () => {
  const share = fc.double({ min: 1e-4, max: 0.3, noNaN: true })
  const means = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }))

  test('solves the equation that its definition gives, of sides that share clusters too', () => {
    fc.assert(
      fc.property(
        share,
        share,
        fc.double({ min: -0.9, max: 0.9, noNaN: true }),
        means,
        (vb, vc, r, [b, c]) => {
          const covariance = r * Math.sqrt(vb * vc)
          // Variances of the means, in the units of the means.
          const variances = {
            baseline: vb * b * b,
            candidate: vc * c * c,
            covariance: covariance * b * c,
            df: 40,
            df_ratio: 30,
          }
          const sides = [momentsOf(500, b, b), momentsOf(400, c, c)] as const
          const found = meanProvable(
            ...sides,
            { variances, design_effect: 1 },
            FIXED,
            NONE,
          ).smallest_provable_limit
          const f = provingFactor(factorAt(FIXED, 500, 400, 30))
          const reach = (limit: number): number =>
            f * Math.sqrt(vc + (1 + limit) ** 2 * vb - 2 * (1 + limit) * covariance)
          if (found === null) expect(f * f * vb).toBeGreaterThanOrEqual(1)
          else expect(reach(found)).toBeCloseTo(found, 9)
        },
      ),
    )
  })

  test.each([0, -1])('is none of a baseline of %d', mean => {
    const sides = [momentsOf(500, mean, 1), momentsOf(500, 1, 1)] as const
    const variances = { baseline: 1, candidate: 1, covariance: 0, df: 9, df_ratio: 9 }
    expect(meanProvable(...sides, { variances, design_effect: null }, FIXED, NONE)).toEqual({
      smallest_provable_limit: null,
      runs_needed: { limit: 0.1, runs_per_side: null, candidate_runs: null, candidate_runs_missing: null },
    })
  })

  test('is none where as many errors as it takes are all of the baseline, and some of a candidate of 0', () => {
    const f = provingFactor(factorAt(FIXED, 500, 400, Infinity))
    const variances = { baseline: 1 / (f * f), candidate: 0, covariance: 0, df: 9, df_ratio: Infinity }
    expect(1 - f * f * variances.baseline).toBe(0)
    const limit = (mean: number, baseline: number): number | null =>
      meanProvable(
        momentsOf(500, 1, 1),
        momentsOf(400, mean, mean),
        { variances: { ...variances, baseline }, design_effect: 1 },
        FIXED,
        NONE,
      ).smallest_provable_limit
    expect(limit(1, variances.baseline)).toBeNull()
    expect(limit(0, variances.baseline / 4)).toBeCloseTo(1, 10)
  })

  test('needs more runs where clusters are few and hang together', () => {
    const sides = [momentsOf(500, 1, 1), momentsOf(500, 1, 1)] as const
    const needed = (design_effect: number, df_ratio: number): number =>
      meanProvable(
        ...sides,
        { variances: { baseline: 1, candidate: 1, covariance: 0, df: 9, df_ratio }, design_effect },
        FIXED,
        NONE,
      ).runs_needed.runs_per_side!
    expect(needed(1, 3)).toBe(needed(1, 1000))
    expect(needed(2, 3)).toBeGreaterThan(needed(2, 1000))
    expect(needed(2, 1e9) / needed(1, 1e9)).toBeCloseTo(2, 2)
  })
})

describe('the smallest limit on a rate', () => {
  const [events, runs] = [30, 1000]
  const at = { events, runs }
  const unlucky = provingFactor(0) * Math.sqrt(0.03 * 0.97 * (2 / runs))

  test('is how far the interval of two equal rates reaches, and what bad luck adds', () => {
    expect(rateProvable(at, at, 1, Infinity, FIXED).smallest_provable_limit).toBeCloseTo(
      rateDifference(at, at, normalFactor()).high! + unlucky,
      12,
    )
  })

  test('is what as many runs as there are prove', () => {
    const planned_limit = rateProvable(at, at, 1, Infinity, FIXED).smallest_provable_limit!
    expect(rateProvable(at, at, 1, Infinity, { ...FIXED, planned_limit }).runs_needed).toEqual({
      limit: planned_limit,
      runs_per_side: runs,
      candidate_runs: runs,
      candidate_runs_missing: 0,
    })
  })

  test('goes by the variances of the rates where intervals hold at all times', () => {
    expect(rateProvable(at, at, 1, Infinity, SEQUENTIAL).smallest_provable_limit).toBeCloseTo(
      factorAt(SEQUENTIAL, runs, runs, Infinity) * Math.sqrt(2 * rateVariance(at)) + unlucky,
      12,
    )
  })

  test('is that of the runs that count, however many there were', () => {
    const limit = (designEffect: number) => rateProvable(at, at, designEffect, Infinity, FIXED)
    expect(limit(4).smallest_provable_limit).toBe(limit(1).smallest_provable_limit)
  })

  test('takes so many times the runs as hang together', () => {
    const needed = (designEffect: number): number =>
      rateProvable(at, at, designEffect, Infinity, { ...FIXED, planned_limit: 0.02 }).runs_needed
        .runs_per_side!
    expect(needed(4) / needed(1)).toBeCloseTo(4, 1)
  })
})

describe('the runs needed', () => {
  const from = (fewest: number) => (_: number, candidate: number) => candidate >= fewest
  const settings = { planned_limit: 0.1, min_runs: 10 }

  test.each([10, 11, 19, 20, 21, 1023, 1024, 1025, 2 ** 40 + 1])(
    'are the fewest that suffice: %d',
    fewest => {
      expect(runsNeeded(from(fewest), 500, 15, settings)).toEqual({
        limit: 0.1,
        runs_per_side: fewest,
        candidate_runs: fewest,
        candidate_runs_missing: Math.max(0, fewest - 15),
      })
    },
  )

  test('are none where no number suffices, or the baseline has too few', () => {
    const none = { limit: 0.1, runs_per_side: null, candidate_runs: null, candidate_runs_missing: null }
    expect(runsNeeded(() => false, 500, 15, settings)).toEqual(none)
    const candidateRuns = (baseline: number): unknown =>
      runsNeeded(from(12), baseline, 15, settings).candidate_runs
    expect([candidateRuns(9), candidateRuns(10)]).toEqual([null, 12])
  })
})

test.each([0, 0.04, -0.2])(
  'a limit of 10 %% is proved of a mean that changed by %d from its errors on',
  change => {
    const traffic = { baseline_variation: 0.5, candidate_variation: 2, design_effect: 3 }
    const error = Math.sqrt(3 * ((1.1 * 0.5) ** 2 / 900 + ((1 + change) * 2) ** 2 / 400))
    const errorsAway = (0.1 - change) / error
    const isProved = (factor: number): boolean => isMeanProved(traffic, 0.1, 900, 400, factor, change)
    expect([isProved(errorsAway * 0.999_999), isProved(errorsAway * 1.000_001)]).toEqual([true, false])
  },
)

test('without any spread a limit of 0 is proved', () => {
  const steady = { baseline_variation: 0, candidate_variation: 0, design_effect: 1 }
  expect(isMeanProved(steady, 0, 10, 10, 2)).toBe(true)
})
