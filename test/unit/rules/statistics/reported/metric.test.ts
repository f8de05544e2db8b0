import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { round12 } from '../../../../../src/base/numbers.ts'
import { compareMeans, compareRates } from '../../../../../src/rules/statistics/compare.ts'
import { rateChange } from '../../../../../src/rules/statistics/rates.ts'
import { type Sample, momentsOfDoubles } from '../../../../../src/rules/statistics/samples.ts'
import { valuesSample } from '../samples_of.ts'

const blocks = (index: number): string => String(index % 24)

describe('what a comparison reports', () => {
  /** As many of each value a side: every figure of it can be worked out by hand. */
  const alternating = (n: number, low: number, high: number): Sample =>
    valuesSample(
      Array.from({ length: n }, (_, index) => (index % 2 === 0 ? low : high)),
      blocks,
    )

  test('are runs, means and deviations of both sides, and how it was looked at', () => {
    expect(compareMeans(alternating(100, 1, 3), alternating(144, 4, 6), { alpha: 0.1 })).toMatchObject({
      baseline_runs: 100,
      candidate_runs: 144,
      baseline_mean: 2,
      candidate_mean: 5,
      baseline_stddev: round12(Math.sqrt(100 / 99)),
      candidate_stddev: round12(Math.sqrt(144 / 143)),
      interval: 'fixed',
      confidence_level: 0.9,
      min_runs: 10,
      clusters: { baseline: expect.closeTo(24, 0), candidate: 24, shared_runs_share: 1 },
      difference: { estimate: 3 },
      relative_change: { estimate: 1.5 },
    })
    const sequential = compareMeans(alternating(100, 1, 3), alternating(144, 4, 6), { sequential: true })
    expect(sequential).toMatchObject({ interval: 'sequential', confidence_level: 0.95, min_runs: 50 })
  })

  test.each([
    [2, 1],
    [3, 2],
  ])('is no deviation of a single run: %d and %d runs', (baseline, candidate) => {
    const [b, c] = [alternating(baseline, 1, 3), alternating(candidate, 1, 3)]
    const { baseline_stddev, candidate_stddev } = compareMeans(b, c)
    expect(baseline_stddev).toBe(round12(Math.sqrt(baseline === 2 ? 2 : 4 / 3)))
    expect(candidate_stddev).toBe(candidate === 1 ? null : round12(Math.SQRT2))
  })

  test('of a side without runs is nothing but that', () => {
    const empty = valuesSample([])
    expect(compareMeans(empty, alternating(100, 1, 3))).toMatchObject({
      baseline_mean: null,
      baseline_stddev: null,
      candidate_mean: 2,
      difference: null,
      relative_change: null,
      clusters: { baseline: 0, shared_runs_share: 0 },
      inconclusive_because: 'no_data',
    })
    expect(compareMeans(empty, empty).clusters).toEqual({ baseline: 0, candidate: 0, shared_runs_share: 0 })
  })

  test('counts an interval that ends at 0 neither as better nor as worse', () => {
    const [b, c] = [alternating(20, 0, 0), alternating(20, 0, 0)]
    for (const better of ['lower', 'higher'] as const)
      expect(compareMeans(b, c, { better })).toMatchObject({
        verdict: 'no_difference',
        difference: { low: 0, high: 0 },
      })
  })

  test('takes ten runs a side where nothing else is said, and as many as are asked for', () => {
    const of = (n: number, options = {}): unknown =>
      compareMeans(alternating(n, 1, 3), alternating(n, 4, 6), options).inconclusive_because
    expect([of(9), of(10)]).toEqual(['too_few_runs', null])
    expect([of(79, { min_runs: 80 }), of(80, { min_runs: 80 })]).toEqual(['too_few_runs', null])
    expect([of(49, { sequential: true }), of(50, { sequential: true })]).toEqual(['too_few_runs', null])
  })
})

/** n values of this mean that vary by a fifth of it. */
function varying(n: number, mean: number): Sample {
  return valuesSample(
    Array.from({ length: n }, (_, index) => Math.round(mean * (1 + 0.3 * Math.sin(index * 12.9898)))),
    blocks,
  )
}

function failing(n: number, errors: number, clusterOf = blocks): Sample {
  const isError = (index: number): boolean =>
    Math.floor((index * errors) / n) !== Math.floor(((index + 1) * errors) / n)
  return valuesSample(
    Array.from({ length: n }, (_, index) => Number(isError(index))),
    clusterOf,
  )
}

describe('no change is claimed', () => {
  test.each([
    [1000, 'no_difference'],
    [975, 'inconclusive'],
    [1025, 'inconclusive'],
  ])(
    'of 1000 and %d, 300 runs each, only where the whole interval is within 5 %%, so %s',
    (mean, verdict) => {
      const found = compareMeans(varying(300, 100_000), varying(300, mean * 100))
      expect(found.verdict).toBe(verdict)
      expect([found.difference!.low! < 0, found.difference!.high! > 0]).toEqual([true, true])
    },
  )
})

describe('runs that hang together', () => {
  /** 60 clusters of 5 runs that are alike. */
  const alike = (side: string, mean: number): Sample =>
    valuesSample(
      Array.from({ length: 300 }, (_, index) =>
        Math.round(mean * (1 + 0.3 * Math.sin(Math.floor(index / 5) * 12.9898))),
      ),
      index => `${side} ${Math.floor(index / 5)}`,
    )

  test('count for one', () => {
    const { design_effect } = compareMeans(alike('b', 1000), alike('c', 1000))
    expect(design_effect).toBeGreaterThan(4.5)
    expect(design_effect).toBeLessThan(5.5)
  })

  test('count for one among errors too', () => {
    const clustered = (side: string): Sample =>
      valuesSample(
        Array.from({ length: 300 }, (_, index) => (Math.floor(index / 5) % 6 === 0 ? 1 : 0)),
        index => `${side} ${Math.floor(index / 5)}`,
      )
    const apart = failing(300, 50, index => String(index))
    const [together, single] = [
      compareRates(clustered('b'), clustered('c')),
      compareRates(
        apart,
        failing(300, 50, index => `c ${index}`),
      ),
    ]
    const width = ({ low, high }: { low: number | null; high: number | null }): number => high! - low!
    expect(width(together.difference!) / width(single.difference!)).toBeGreaterThan(2)
  })
})

describe('a rate that is asked for again and again', () => {
  const [b, c] = [failing(2000, 100), failing(2000, 150)]
  const compared = () => [compareRates(b, c), compareRates(b, c, { sequential: true })] as const

  test('has the same difference and change', () => {
    for (const { difference, relative_change } of compared()) {
      expect(difference!.estimate).toBeCloseTo(0.025, 10)
      expect(relative_change!.estimate).toBeCloseTo(0.5, 10)
    }
  })

  test('and a wider interval', () => {
    const [fixed, sequential] = compared()
    expect(sequential.difference!.low).toBeLessThan(fixed.difference!.low!)
    expect(sequential.difference!.high).toBeGreaterThan(fixed.difference!.high!)
  })
})

test('of single runs the difference is known, and the change where there was something', () => {
  const [zero, one, two] = [0, 1, 2].map(value => valuesSample([value]))
  expect(compareMeans(zero!, two!)).toMatchObject({ difference: { estimate: 2 }, relative_change: null })
  expect(compareMeans(one!, two!).relative_change).toMatchObject({ estimate: 1, low: null, high: null })
  expect(compareRates(one!, zero!).difference).toEqual({ estimate: -1, low: null, high: null })
})

test('a change of rates is the inverse of the change back', () => {
  const count = fc.integer({ min: 1, max: 400 })
  fc.assert(
    fc.property(count, count, (x, y) => {
      const [there, back] = [
        rateChange({ events: x, runs: 500 }, { events: y, runs: 500 }, 1.96)!,
        rateChange({ events: y, runs: 500 }, { events: x, runs: 500 }, 1.96)!,
      ]
      expect((1 + there.estimate) * (1 + back.estimate)).toBeCloseTo(1, 9)
      if (there.high !== null && back.low !== null)
        expect((1 + there.high) * (1 + back.low)).toBeCloseTo(1, 6)
    }),
  )
})

test('moments of sums are those of the values', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 30 }), values => {
      const sum = (of: (value: number) => number): number => values.reduce((all, each) => all + of(each), 0)
      const mean = values.length === 0 ? 0 : sum(value => value) / values.length
      const found = momentsOfDoubles(
        values.length,
        sum(value => value),
        sum(value => value * value),
      )
      expect(found.n).toBe(values.length)
      expect(found.mean).toBeCloseTo(mean, 9)
      expect(found.m2).toBeCloseTo(
        sum(value => (value - mean) ** 2),
        6,
      )
    }),
  )
})
