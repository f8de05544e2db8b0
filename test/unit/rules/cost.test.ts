import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Rates, costUsd, sideMetrics, unpricedModels } from '../../../src/rules/cost.ts'
import { addSums } from '../../../src/rules/rollup.ts'
import * as arbitrary from '../support/sums.ts'
import { variantOf } from '../support/sums.ts'

const M1: Rates = {
  input_usd_per_1k_tokens: 1,
  output_usd_per_1k_tokens: 2,
  cached_input_usd_per_1k_tokens: null,
}
const M2: Rates = { ...M1, cached_input_usd_per_1k_tokens: 0.5 }
const PRICES = new Map([
  ['m1', M1],
  ['m2', M2],
])

describe('costUsd', () => {
  test.for([
    [1000, 0, 0, M1, 1],
    [0, 1000, 0, M1, 2],
    [0, 0, 1000, M1, 0],
    [0, 0, 1000, M2, 0.5],
    [1500, 500, 200, M2, 2.6],
    [0, 0, 0, M2, 0],
    [
      1_000_000,
      1_000_000,
      0,
      {
        input_usd_per_1k_tokens: 0.00015,
        output_usd_per_1k_tokens: 0.0006,
        cached_input_usd_per_1k_tokens: null,
      },
      0.75,
    ],
  ] as const)('%d input, %d output and %d cached tokens', ([input, output, cached, rates, usd]) => {
    const tokens = { input_tokens: input, output_tokens: output, cached_input_tokens: cached }
    expect(costUsd(tokens, rates)).toBeCloseTo(usd, 12)
  })

  test.for([
    [undefined, 1],
    [1.25, 1.05],
    [0.5, 0.9],
  ])('tokens written to a cache are input tokens at their own rate: %s', ([rate, usd]) => {
    const tokens = {
      input_tokens: 1000,
      output_tokens: 0,
      cached_input_tokens: 0,
      cache_write_input_tokens: 200,
    }
    const rates = rate === undefined ? M1 : { ...M1, cache_write_input_usd_per_1k_tokens: rate }
    expect(costUsd(tokens, rates)).toBeCloseTo(usd!, 12)
  })

  test('the cost of a sum is the sum of the costs', () => {
    fc.assert(
      fc.property(fc.array(arbitrary.sums, { maxLength: 20 }), arbitrary.rates, (parts, rates) => {
        const whole = costUsd(addSums(parts), rates)
        const summed = parts.reduce((sum, part) => sum + costUsd(part, rates), 0)
        expect(Math.abs(whole - summed)).toBeLessThanOrEqual(1e-12 * whole)
      }),
    )
  })

  test('a cached rate of null costs what a rate of 0 costs, and no rate makes a cost negative', () => {
    fc.assert(
      fc.property(arbitrary.sums, arbitrary.rates, (sums, rates) => {
        const free = costUsd(sums, { ...rates, cached_input_usd_per_1k_tokens: 0 })
        expect(costUsd(sums, { ...rates, cached_input_usd_per_1k_tokens: null })).toBe(free)
        expect(costUsd(sums, rates)).toBeGreaterThanOrEqual(free)
        expect(free).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('sideMetrics', () => {
  test('a side without events has zero runs, cost and error rate, and no latency', () => {
    const nothing = { runs: 0, cost_per_run_usd: 0, has_tokens: false, latency_ms_avg: null, error_rate: 0 }
    expect(sideMetrics([], PRICES)).toEqual(nothing)
    expect(sideMetrics([variantOf({})], PRICES)).toEqual(nothing)
  })

  test('means are over all events, whichever variant they are of', () => {
    const side = [
      variantOf({ runs: 3, errors: 1, latency_count: 2, latency_sum_ms: 300, input_tokens: 3000 }),
      variantOf({ model: 'm2', runs: 1, latency_count: 1, latency_sum_ms: 60, cached_input_tokens: 2000 }),
      variantOf({ agent_id: 'other', provider: 'elsewhere', runs: 1, errors: 1, output_tokens: 500 }),
    ]
    expect(sideMetrics(side, PRICES)).toEqual({
      runs: 5,
      cost_per_run_usd: (3 + 1 + 1) / 5,
      has_tokens: true,
      latency_ms_avg: 120,
      error_rate: 0.4,
    })
  })

  test('runs without a latency are left out of the mean latency, not counted as 0', () => {
    const side = [variantOf({ runs: 10, latency_count: 1, latency_sum_ms: 50 })]
    expect(sideMetrics(side, PRICES).latency_ms_avg).toBe(50)
    expect(sideMetrics([variantOf({ runs: 10 })], PRICES).latency_ms_avg).toBeNull()
    expect(sideMetrics([variantOf({ runs: 1, latency_count: 1 })], PRICES).latency_ms_avg).toBe(0)
  })

  test('a run without usage, such as a run_start, lowers the mean cost', () => {
    const end = variantOf({ runs: 1, input_tokens: 1000 })
    expect(sideMetrics([end], PRICES).cost_per_run_usd).toBe(1)
    expect(sideMetrics([end, variantOf({ runs: 1 })], PRICES).cost_per_run_usd).toBe(0.5)
  })

  test.each([
    ['no token', {}, false],
    ['cached tokens alone', { cached_input_tokens: 1 }, true],
    ['tokens without a price', { model: 'm9', output_tokens: 1 }, false],
  ] as const)('%s', (_, tokens, has_tokens) => {
    expect(sideMetrics([variantOf({ runs: 1 }), variantOf({ runs: 1, ...tokens })], PRICES)).toMatchObject({
      has_tokens,
    })
  })

  test('runs of a model without a price are left out of the mean cost, and of nothing else', () => {
    const side = [
      variantOf({ runs: 1, input_tokens: 1000 }),
      variantOf({ model: 'm9', runs: 3, errors: 2, input_tokens: 5000 }),
    ]
    expect(sideMetrics(side, PRICES)).toMatchObject({ runs: 4, cost_per_run_usd: 1, error_rate: 0.5 })
    expect(sideMetrics(side.slice(1), PRICES).cost_per_run_usd).toBe(0)
  })

  test('splitting a variant in two changes nothing but the last digits', () => {
    fc.assert(
      fc.property(arbitrary.sums, arbitrary.sums, arbitrary.rates, (a, b, rates) => {
        const prices = new Map([['m1', rates]])
        const split = sideMetrics([variantOf(a), variantOf(b)], prices)
        const whole = sideMetrics([variantOf(addSums([a, b]))], prices)
        expect({ ...split, cost_per_run_usd: 0 }).toEqual({ ...whole, cost_per_run_usd: 0 })
        expect(Math.abs(split.cost_per_run_usd - whole.cost_per_run_usd)).toBeLessThanOrEqual(
          1e-12 * whole.cost_per_run_usd,
        )
      }),
    )
  })
})

describe('unpricedModels', () => {
  test('names each model without a price once, and none that has one', () => {
    const side = ['m1', 'm9', 'm2', 'm9', 'M1', ''].map(model => variantOf({ model }))
    expect(unpricedModels(side, PRICES)).toEqual(['m9', 'M1', ''])
    expect(unpricedModels([], PRICES)).toEqual([])
  })
})
