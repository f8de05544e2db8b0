import { describe, expect, test } from 'vitest'
import { compareMeans, compareRates, costSample } from '../../../../../src/rules/statistics/compare.ts'
import { logBetaKernel, studentQuantile } from '../../../../../src/rules/statistics/distributions.ts'
import {
  factorAt,
  roundEstimate,
  sequentialFactor,
  sequentialRuns,
  studentFactor,
} from '../../../../../src/rules/statistics/intervals.ts'
import { NO_MOMENTS } from '../../../../../src/rules/statistics/samples.ts'
import { deflated, rateDifference, rateVariance } from '../../../../../src/rules/statistics/rates.ts'
import { blocks, tokenAggregate, valuesSample } from '../samples_of.ts'

const times = (n: number, ...values: readonly number[]): number[] =>
  Array.from({ length: n }, () => values).flat()

describe('a candidate is small and skewed', () => {
  const baseline = valuesSample(times(30, 1, 2))
  test.each([
    ['where it varies more than its mean', [1, 3, 0, 0, 0], true],
    ['not where it varies as much', [1, 2, 2, 0, 0], false],
    ['not where it is steady', [1, 1, 1, 1, 2], false],
  ])('%s', (_, values, isSkewed) => {
    expect(compareMeans(baseline, valuesSample(values)).is_skewed_small_candidate).toBe(isSkewed)
  })
})

describe('nothing is called unchanged', () => {
  test('whose baseline may be 0', () => {
    const rare = valuesSample([...times(19, 0), 100], blocks)
    expect(compareMeans(rare, rare)).toMatchObject({
      relative_change: { estimate: 0, low: null, high: null },
      verdict: 'inconclusive',
      inconclusive_because: 'interval_too_wide',
    })
  })

  test('whose baseline is 0, unless the candidate is too', () => {
    const found = compareMeans(valuesSample(times(20, 0)), valuesSample([...times(19, 0), 1]))
    expect(found).toMatchObject({ relative_change: null, verdict: 'inconclusive' })
  })
})

test('three blocks of time tell of no design effect', () => {
  const sample = valuesSample(times(20, 1, 2, 3), index => String(Math.floor(index / 20)))
  expect(compareMeans(sample, sample)).toMatchObject({ design_effect: null, clusters: { baseline: 3 } })
})

describe('rates', () => {
  /** Eight blocks of 50 runs each, of which every other block has all the failures. */
  const failing = (each: number) =>
    valuesSample(
      Array.from({ length: 400 }, (_, index) => (index % 100 < each ? 1 : 0)),
      index => String(Math.floor(index / 50)),
    )
  const [baseline, candidate] = [failing(10), failing(20)]

  test("that hang together within blocks have intervals of Student's t, of fewer runs", () => {
    const { design_effect, difference } = compareRates(baseline, candidate)
    expect(design_effect).toBeGreaterThan(2)
    // Both sides share all eight blocks.
    const [b, c] = [40, 80].map(events => deflated({ events, runs: 400 }, design_effect!))
    const expected = rateDifference(b!, c!, studentFactor(7))
    expect(difference!.low).toBeCloseTo(expected.low!, 8)
    expect(difference!.high).toBeCloseTo(expected.high!, 8)
  })

  test('that are looked at often have intervals that hold at all times', () => {
    const { design_effect, difference } = compareRates(baseline, candidate, { sequential: true })
    const [b, c] = [40, 80].map(events => deflated({ events, runs: 400 }, design_effect!))
    const margin = sequentialFactor(sequentialRuns(400, 400)) * Math.sqrt(rateVariance(b!) + rateVariance(c!))
    expect(difference!.low).toBeCloseTo(0.1 - margin, 8)
    expect(difference!.high).toBeCloseTo(0.1 + margin, 8)
  })
})

describe('the cost', () => {
  const usd = new Map([
    ['m1', [1, 0]],
    ['m2', [1, 0]],
  ])

  test('of one model is as exact as its tokens', () => {
    expect(
      costSample(
        [
          tokenAggregate([
            [0, 0],
            [2, 0],
          ]),
        ],
        usd,
      ).moments,
    ).toEqual({ n: 2, mean: 1, m2: 2 })
  })

  test('of no runs is none', () => {
    expect(costSample([tokenAggregate([[0, 0]], { runs: 0 })], usd).moments).toEqual(NO_MOMENTS)
  })

  test('of runs that used a further model counts them once, also where it is the own model of others', () => {
    const aggregates = [
      tokenAggregate([[10, 0]]),
      tokenAggregate([[20, 0]], { model: 'm2' }),
      tokenAggregate([[6, 0]], { is_further_model: true }),
    ]
    const { moments, clusters } = costSample(aggregates, usd)
    expect([moments.n, moments.mean]).toEqual([2, 18])
    expect(clusters).toEqual(new Map([['all', { n: 2, sum: 36 }]]))
  })

  test('of runs that all cost the same has no spread, whatever it is made of', () => {
    for (const price of [0.1, 0.2, 0.3, 0.7, 1.1]) {
      const aggregate = tokenAggregate([
        [0, 3],
        [1, 0],
      ])
      expect(costSample([aggregate], new Map([['m1', [3 * price, price]]])).moments.m2).toBe(0)
    }
  })
})

describe('to the last digits', () => {
  test('half of all values of t are below 0', () => {
    for (const df of [1, 2.5, 30, 1e6]) expect(studentQuantile(0.5, df)).toBe(0)
  })

  test('infinite degrees of freedom are those of the normal distribution', () => {
    const kind = { alpha: 0.05, sequential: false, tuned_for_runs: 1000 }
    expect(factorAt(kind, 10, 10, Infinity)).toBe(1.959963985)
  })

  // Of k ln(k / m) + m − k on both sides of m there is left −k ln(1 − δ²), and of Γ next to nothing.
  test('the density of a large beta beside its mode', () => {
    const [k, d] = [1e10, 1e-5]
    const expected = k * Math.log1p(-d * d) + Math.log(k / 2) / 2 - Math.log(2 * Math.PI) / 2
    expect(logBetaKernel(k, k, (1 + d) / 2, (1 - d) / 2)).toBeCloseTo(expected, 8)
  })

  test('an end that is not known stays so', () => {
    expect(roundEstimate({ estimate: 1 / 3, low: null, high: 2 / 3 })).toEqual({
      estimate: 0.333333333333,
      low: null,
      high: 0.666666666667,
    })
  })
})
