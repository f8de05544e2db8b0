import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Estimate,
  meanDifference,
  normalFactor,
  relativeChange,
  sequentialFactor,
  sequentialFactorOneSided,
  sequentialRuns,
  squareAndAdd,
  studentFactor,
} from '../../../../src/rules/statistics/intervals.ts'
import {
  clusteredVariances,
  countingVariances,
  designEffectOf,
  differenceVariance,
  independentVariances,
} from '../../../../src/rules/statistics/variances.ts'
import type { Sample } from '../../../../src/rules/statistics/samples.ts'
import { momentsOf, valuesSample } from './samples_of.ts'

/** Six significant digits, as the vectors are given. */
function expectSix(
  found: Estimate | undefined,
  [estimate, low, high]: readonly [number, number, number],
): void {
  expect([found!.estimate, found!.low!, found!.high!].map(six)).toEqual([estimate, low, high].map(six))
}

function six(value: number): string {
  return value.toPrecision(6)
}

describe('independent runs', () => {
  const sides = [momentsOf(500, 0.012, 0.015), momentsOf(480, 0.0135, 0.017)] as const
  const variances = independentVariances(...sides)!

  test("Welch's difference", () => {
    expect(six(variances.df)).toBe('952.068')
    expectSix(
      meanDifference(0.012, 0.0135, variances, studentFactor(variances.df)),
      [0.0015, -0.000512916, 0.00351292],
    )
  })

  test("Fieller's change", () => {
    expect(six(variances.df_ratio)).toBe('975.729')
    expectSix(
      relativeChange(0.012, 0.0135, variances, studentFactor(variances.df_ratio)),
      [0.125, -0.0399079, 0.317315],
    )
  })

  test("Fieller's change of few runs", () => {
    const few = independentVariances(momentsOf(12, 10, 10), momentsOf(15, 12, Math.sqrt(150)))!
    expect(six(few.df_ratio)).toBe('23.9204')
    expectSix(relativeChange(10, 12, few, studentFactor(few.df_ratio)), [0.2, -0.51411, 2.23561])
  })

  test('are unknown of a single run, and certain of constant ones', () => {
    expect(independentVariances(momentsOf(1, 5, 0), momentsOf(100, 5, 1))).toBeUndefined()
    const constant = independentVariances(momentsOf(30, 5, 0), momentsOf(20, 6, 0))!
    expect(constant).toEqual({ baseline: 0, candidate: 0, covariance: 0, df: 48, df_ratio: 48 })
    expect(relativeChange(5, 6, constant, 2)).toEqual({
      estimate: 6 / 5 - 1,
      low: 6 / 5 - 1,
      high: 6 / 5 - 1,
    })
  })

  test('of a baseline of 0 have the degrees of freedom of their difference', () => {
    const { df, df_ratio } = independentVariances(momentsOf(30, 0, 1), momentsOf(20, 6, 3))!
    expect(df_ratio).toBe(df)
  })

  test('degrees of freedom are those of the smaller side at least and of both together at most', () => {
    const runs = fc.integer({ min: 2, max: 10_000 })
    const deviation = fc.double({ min: 0, max: 1e200, noNaN: true })
    fc.assert(
      fc.property(
        runs,
        runs,
        deviation,
        deviation,
        fc.double({ min: 0, max: 1e3, noNaN: true }),
        (b, c, s, r, m) => {
          const found = independentVariances({ n: b, mean: 1, m2: s }, { n: c, mean: m, m2: r })!
          for (const df of [found.df, found.df_ratio]) {
            expect(df).toBeGreaterThanOrEqual((Math.min(b, c) - 1) * (1 - 1e-12))
            expect(df).toBeLessThanOrEqual((b + c - 2) * (1 + 1e-12))
          }
        },
      ),
    )
  })

  test('a baseline that may be 0 leaves the change without bounds, one that is 0 without a change', () => {
    const wide = independentVariances(momentsOf(10, 1, 10), momentsOf(10, 2, 1))!
    expect(relativeChange(1, 2, wide, 2)).toEqual({ estimate: 1, low: null, high: null })
    expect(relativeChange(0, 2, wide, 2)).toBeUndefined()
    expect(relativeChange(-1, 2, wide, 2)).toBeUndefined()
    // Two standard errors of 1 below 2 is 0 exactly.
    expect(relativeChange(2, 2, { ...wide, baseline: 1 }, 2)).toEqual({ estimate: 0, low: null, high: null })
  })
})

describe('clusters', () => {
  const sample = (sizes: readonly number[], sums: readonly number[]): Sample => {
    const n = sizes.reduce((total, size) => total + size, 0)
    return {
      moments: { n, mean: sums.reduce((total, sum) => total + sum, 0) / n, m2: n },
      clusters: new Map(sizes.map((size, index) => [String(index), { n: size, sum: sums[index]! }])),
    }
  }
  const [baseline, candidate] = [
    sample([10, 20, 30, 40], [10, 30, 33, 52]),
    sample([12, 18, 35, 35], [15, 30, 42, 49]),
  ]

  test('the jackknife', () => {
    const found = clusteredVariances(baseline, candidate)!
    expect([found.baseline, found.candidate, found.covariance].map(six)).toEqual([
      '0.00992162',
      '0.0126430',
      '0.0108804',
    ])
    expect(six(Math.sqrt(differenceVariance(found)))).toBe('0.0283515')
    expect(six(found.df)).toBe('2.33333')
    expectSix(relativeChange(1.25, 1.36, found, 3.182446), [0.088, 0.0171786, 0.157634])
  })

  test('that no side shares with the other count their degrees of freedom together', () => {
    const apart: Sample = {
      ...candidate,
      clusters: new Map([...candidate.clusters].map(([key, value]) => [`other ${key}`, value])),
    }
    const found = clusteredVariances(baseline, apart)!
    expect(found.covariance).toBe(0)
    expect(found.clusters.shared_runs_share).toBe(0)
    expect(found.df).toBeCloseTo(10_000 / 3000 + 10_000 / 2918 - 2, 10)
  })

  test('blocks under four and units under two say nothing', () => {
    expect(countingVariances(baseline, candidate)!.design_effect).toBeNull()
    expect(countingVariances(baseline, candidate, 'units')!.design_effect).toBeGreaterThanOrEqual(1)
    const one = sample([50], [60])
    expect(clusteredVariances(one, candidate)).toBeUndefined()
    expect(countingVariances(one, candidate)).toEqual({
      variances: independentVariances(one.moments, candidate.moments),
      design_effect: null,
    })
    expect(countingVariances(one, candidate, 'units')).toBeUndefined()
    expect(designEffectOf(one)).toBeNull()
    expect(designEffectOf(baseline)).toBeNull()
    expect(designEffectOf(baseline, 'units')).toBeGreaterThanOrEqual(1)
  })

  test('two units and four blocks are enough', () => {
    const two = [sample([10, 10], [10, 30]), sample([20, 20], [30, 30])] as const
    expect(clusteredVariances(...two)!.df).toBe(1)
    expect(countingVariances(...two)!.design_effect).toBeNull()
    expect(designEffectOf(valuesSample([1, 3], String), 'units')).toBe(2)
    const four = [
      sample([10, 10, 10, 10], [10, 20, 10, 20]),
      sample([20, 20, 20, 20], [30, 30, 30, 30]),
    ] as const
    expect(countingVariances(...four)!.design_effect).toBeGreaterThanOrEqual(1)
    expect(designEffectOf(four[0])).toBeGreaterThanOrEqual(1)
  })

  test('without runs on a side are not shared', () => {
    const none = sample([0, 10, 10], [0, 10, 10])
    const all = sample([30, 10, 10], [30, 10, 10])
    expect(clusteredVariances(none, all)!.clusters.shared_runs_share).toBeCloseTo(40 / 70, 10)
    expect(clusteredVariances(all, none)!.clusters.shared_runs_share).toBeCloseTo(40 / 70, 10)
  })

  test('of constant values have no design effect, though sums of doubles are a little off', () => {
    expect(designEffectOf(valuesSample(Array(40).fill(7), index => String(index % 5)))).toBe(1)
    const off: Sample = {
      moments: { n: 42, mean: 0.1, m2: 0 },
      clusters: new Map([0, 1, 2, 3, 4, 5].map(key => [String(key), { n: 7, sum: 0.7 }])),
    }
    expect(clusteredVariances(off, off)!.baseline).toBeGreaterThan(0)
    expect(
      countingVariances(off, {
        ...off,
        clusters: new Map([...off.clusters].map(([key, own]) => [`other ${key}`, own])),
      }),
    ).toEqual({
      variances: independentVariances(off.moments, off.moments),
      design_effect: 1,
    })
  })

  // Each value five times over in a cluster of its own is one value with five runs.
  test('of five equal runs each have a design effect of about five', () => {
    const values = Array.from({ length: 200 }, (_, index) => (index * 7919) % 1009)
    const clustered = valuesSample(
      values.flatMap(value => [value, value, value, value, value]),
      index => String(Math.floor(index / 5)),
    )
    expect(designEffectOf(clustered, 'units')).toBeCloseTo(5, 0)
    const alone = valuesSample(values, String)
    expect(designEffectOf(alone, 'units')).toBeLessThan(1.02)
  })

  test('clusters that go up and down together on both sides do not widen the difference', () => {
    const wave = (level: number): Sample =>
      valuesSample(
        Array.from({ length: 240 }, (_, index) => level + 1000 * Math.floor(index / 10) + (index % 10)),
        index => String(Math.floor(index / 10)),
      )
    const found = clusteredVariances(wave(0), wave(500))!
    expect(differenceVariance(found)).toBeLessThan(1e-6 * found.baseline)
    expect(countingVariances(wave(0), wave(500))!.design_effect).toBe(1)
  })
})

describe('sequential factors', () => {
  test('as published', () => {
    expect([200, 1000, 10_000].map(runs => six(sequentialFactor(runs)))).toEqual([
      '3.36389',
      '3.03521',
      '3.24172',
    ])
    expect(six(sequentialFactorOneSided(1000, 0.05))).toBe('2.77909')
    expect(six(sequentialFactorOneSided(1000, 0.05 / 3))).toBe('3.18441')
  })

  test('are least near the runs that they are tuned for, and always above those of one look', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 10, max: 100_000 }),
        (runs, tuned) => {
          const factor = sequentialFactor(runs, 0.05, tuned)
          expect(factor).toBeGreaterThan(normalFactor() + 1)
          expect(factor).toBeGreaterThan(sequentialFactor(tuned, 0.05, tuned) - 0.01)
        },
      ),
    )
  })

  test('count equal sides together, and of unequal ones mostly the smaller', () => {
    expect(sequentialRuns(500, 500)).toBe(1000)
    expect(sequentialRuns(1e9, 500)).toBeCloseTo(2000, 2)
  })
})

describe('squareAndAdd', () => {
  test('adds distances by their squares, and knows no end that it is not given', () => {
    const found = squareAndAdd({ estimate: 10, low: 7, high: 14 }, { estimate: 20, low: 17, high: 23 })
    expect(found).toEqual({ estimate: 10, low: 10 - Math.hypot(3, 4), high: 10 + Math.hypot(3, 3) })
    expect(
      squareAndAdd({ estimate: 1, low: null, high: 2 }, { estimate: 2, low: 1, high: 3 }).high,
    ).toBeNull()
    const open = squareAndAdd({ estimate: 0, low: -3, high: 4 }, { estimate: 1, low: null, high: 5 })
    expect(open).toEqual({ estimate: 1, low: null, high: 6 })
    expect(squareAndAdd({ estimate: 0, low: -3, high: null }, { estimate: 1, low: -3, high: 2 })).toEqual({
      estimate: 1,
      low: null,
      high: 1 + Math.hypot(1, 3),
    })
  })
})
