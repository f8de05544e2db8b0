import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costUsd } from '../../../../src/rules/cost.ts'
import { costSample } from '../../../../src/rules/statistics/compare.ts'
import {
  type Sample,
  type UsageAggregate,
  errorSample,
  latencySample,
  sampleOf,
  tokenSample,
  varianceOf,
} from '../../../../src/rules/statistics/samples.ts'
import { aggregatesOfValues, tokenAggregate } from './samples_of.ts'

const RATES = [0.0025 / 1000, 0.01 / 1000, 0.00125 / 1000]
const PRICES = new Map([
  ['m1', RATES],
  ['m2', [1e-6, 5e-6, 0]],
])

const tokens = fc.oneof(fc.nat(100_000), fc.constant(1e12), fc.constant(0))
const run = fc.tuple(tokens, tokens, tokens)
const runs = fc.array(fc.tuple(run, fc.constantFrom('m1', 'm2'), fc.constantFrom('a', 'b', 'c')), {
  minLength: 2,
  maxLength: 25,
})

/** All of a sample, its blocks too. */
const sumsOf = ({ moments, clusters, blocks }: Sample) => ({ moments, clusters, blocks: blocks!() })

describe('costSample', () => {
  test('of four runs, as on paper', () => {
    const aggregate = tokenAggregate([
      [1000, 200, 0],
      [1500, 300, 500],
      [800, 100, 0],
      [2000, 400, 1000],
    ])
    const { moments } = costSample([aggregate], PRICES)
    expect(moments.mean.toPrecision(6)).toBe('0.00628125')
    expect(varianceOf(moments).toPrecision(6)).toBe('0.0000102956')
  })

  test('has the moments of the costs of single runs, whatever their models and the order of cells', () => {
    fc.assert(
      fc.property(runs, given => {
        const aggregates = given.map(([counts, model, cluster]) =>
          tokenAggregate([counts], { model, cluster }),
        )
        const costs = given.map(([counts, model]) =>
          counts.reduce((sum, count, kind) => sum + count * PRICES.get(model)![kind]!, 0),
        )
        const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length
        const m2 = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0)
        const squares = costs.reduce((sum, cost) => sum + cost * cost, 0)
        const found = costSample(aggregates, PRICES)
        expect(found.moments.n).toBe(given.length)
        expect(Math.abs(found.moments.mean - mean)).toBeLessThanOrEqual(1e-12 * mean)
        expect(Math.abs(found.moments.m2 - m2)).toBeLessThanOrEqual(1e-11 * squares)
        expect(sumsOf(costSample(aggregates.toReversed(), PRICES))).toEqual(sumsOf(found))
      }),
    )
  })

  test('scales with prices', () => {
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 1000 }), (given, factor) => {
        const aggregates = given.map(([counts, model, cluster]) =>
          tokenAggregate([counts], { model, cluster }),
        )
        const dearer = new Map([...PRICES].map(([model, rates]) => [model, rates.map(rate => rate * factor)]))
        const [before, after] = [costSample(aggregates, PRICES), costSample(aggregates, dearer)]
        expect(Math.abs(after.moments.mean - factor * before.moments.mean)).toBeLessThanOrEqual(
          1e-12 * after.moments.mean,
        )
        expect(Math.abs(after.moments.m2 - factor * factor * before.moments.m2)).toBeLessThanOrEqual(
          1e-9 * after.moments.m2,
        )
      }),
    )
  })

  test('means what the cost of sums means', () => {
    const aggregate = tokenAggregate([
      [123, 45, 6],
      [7, 89, 1011],
    ])
    const usd = costUsd(
      { input_tokens: 130, output_tokens: 134, cached_input_tokens: 1017 },
      {
        input_usd_per_1k_tokens: 0.0025,
        output_usd_per_1k_tokens: 0.01,
        cached_input_usd_per_1k_tokens: 0.00125,
      },
    )
    expect(costSample([aggregate], PRICES).moments.mean).toBeCloseTo(usd / 2, 15)
  })

  test('takes a fourth kind of token', () => {
    const aggregate = tokenAggregate([
      [10, 1, 0, 100],
      [20, 2, 0, 300],
    ])
    const { moments } = costSample([aggregate], new Map([['m1', [1, 10, 0, 0.1]]]))
    expect(moments.mean).toBe((30 + 70) / 2)
    expect(moments.m2).toBeCloseTo(2 * 20 ** 2, 9)
  })

  test("adds a further model's tokens to the runs that used it, and bounds the spread from above", () => {
    const own = tokenAggregate([
      [1000, 0, 0],
      [3000, 0, 0],
    ])
    const further = tokenAggregate([[5000, 0, 0]], { model: 'm2', is_further_model: true })
    const { moments, clusters } = costSample(
      [own, further],
      new Map([
        ['m1', [1e-3, 0, 0]],
        ['m2', [1e-3, 0, 0]],
      ]),
    )
    expect(moments.n).toBe(2)
    expect(moments.mean).toBe(4.5)
    // Costs are 1 and 8, or 6 and 3.
    expect(moments.m2).toBeCloseTo(24.5, 9)
    expect(clusters.get('all')).toEqual({ n: 2, sum: 9 })
  })

  test('refuses a model without a price', () => {
    expect(() => costSample([tokenAggregate([[1, 1, 1]], { model: 'm9' })], PRICES)).toThrow(
      'no price for the model m9',
    )
  })
})

describe('samples of integers', () => {
  const aggregate: UsageAggregate = {
    ...tokenAggregate([
      [100, 10, 1],
      [300, 30, 3],
    ]),
    errors: 1,
    latency_count: 1,
    latency_sum_ms: 700,
    latency_sum_ms2: 490_000,
  }
  const further = tokenAggregate([[9, 9, 9]], { is_further_model: true, model: 'm2' })

  test('count latencies where there are some, errors and tokens once per run', () => {
    expect(latencySample([aggregate]).moments).toEqual({ n: 1, mean: 700, m2: 0 })
    expect(errorSample([aggregate, further]).moments).toEqual({ n: 2, mean: 0.5, m2: 0.5 })
    expect([0, 1, 2].map(kind => tokenSample([aggregate, further], kind).moments)).toEqual([
      { n: 2, mean: 200, m2: 20_000 },
      { n: 2, mean: 20, m2: 200 },
      { n: 2, mean: 2, m2: 2 },
    ])
  })

  test('are the same to the bit in whatever order cells come and however they are cut', () => {
    const values = fc.array(fc.tuple(fc.nat(1e10), fc.constantFrom('a', 'b', 'c')), { maxLength: 30 })
    fc.assert(
      fc.property(values, fc.nat(30), (given, at) => {
        const aggregates = aggregatesOfValues(
          given.map(([value]) => value),
          index => given[index]![1],
        )
        const whole = sampleOf(aggregates)
        expect(sumsOf(sampleOf(aggregates.toReversed()))).toEqual(sumsOf(whole))
        const merged = [aggregates.slice(0, at), aggregates.slice(at)].flatMap(part =>
          ['c', 'b', 'a'].map(cluster => {
            const own = part.filter(one => one.cluster === cluster)
            // Below 2^53, as sums of a database are.
            const sum = (key: 'n' | 'sum' | 'sum_of_squares') =>
              own.reduce((total, one) => total + one[key], 0)
            return { cluster, n: sum('n'), sum: sum('sum'), sum_of_squares: sum('sum_of_squares') }
          }),
        )
        if (merged.every(({ sum_of_squares }) => Number.isSafeInteger(sum_of_squares))) {
          const again = sampleOf(merged)
          expect(again.moments).toEqual(whole.moments)
          for (const [key, value] of whole.clusters) expect(again.clusters.get(key)).toEqual(value)
        }
      }),
    )
  })
})
