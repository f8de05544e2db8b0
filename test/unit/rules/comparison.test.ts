import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareSides } from '../../../src/rules/cost.ts'
import { round12 } from '../../../src/base/numbers.ts'
import { sideMetrics } from '../support/sums.ts'

const baseline = { runs: 10, cost_per_run_usd: 0.8, latency_ms_avg: 200, error_rate: 0.1 }
const candidate = { runs: 20, cost_per_run_usd: 1, latency_ms_avg: 150, error_rate: 0.3 }
const EMPTY = { runs: 0, cost_per_run_usd: 0, latency_ms_avg: null, error_rate: 0 }

test('differences are candidate minus baseline, the percentage is a fraction', () => {
  expect(compareSides(baseline, candidate)).toEqual({
    baseline_cost_per_run_usd: 0.8,
    candidate_cost_per_run_usd: 1,
    delta_cost_per_run_usd: 0.2,
    delta_cost_per_run_pct: 0.25,
    baseline_latency_ms_avg: 200,
    candidate_latency_ms_avg: 150,
    delta_latency_ms_avg: -50,
    baseline_error_rate: 0.1,
    candidate_error_rate: 0.3,
    delta_error_rate: 0.2,
  })
})

test('two sides without events compare as zeroes and nulls', () => {
  expect(compareSides(EMPTY, EMPTY)).toEqual({
    baseline_cost_per_run_usd: 0,
    candidate_cost_per_run_usd: 0,
    delta_cost_per_run_usd: 0,
    delta_cost_per_run_pct: null,
    baseline_latency_ms_avg: null,
    candidate_latency_ms_avg: null,
    delta_latency_ms_avg: null,
    baseline_error_rate: 0,
    candidate_error_rate: 0,
    delta_error_rate: 0,
  })
})

test('a baseline that costs nothing has no percentage, a candidate that costs nothing has -1', () => {
  const free = { ...baseline, cost_per_run_usd: 0 }
  expect(compareSides(free, candidate)).toMatchObject({
    delta_cost_per_run_usd: 1,
    delta_cost_per_run_pct: null,
  })
  expect(compareSides(candidate, free)).toMatchObject({
    delta_cost_per_run_usd: -1,
    delta_cost_per_run_pct: -1,
  })
})

test.for([
  [null, 100],
  [100, null],
  [null, null],
] as const)('latencies of %j and %j have no difference', ([left, right]) => {
  const compared = compareSides(
    { ...baseline, latency_ms_avg: left },
    { ...candidate, latency_ms_avg: right },
  )
  expect(compared).toMatchObject({
    baseline_latency_ms_avg: left,
    candidate_latency_ms_avg: right,
    delta_latency_ms_avg: null,
  })
})

test('sides that differ only in how their sums were rounded are equal', () => {
  const compared = compareSides(
    { ...baseline, cost_per_run_usd: 0.3, error_rate: 0.7 },
    { ...baseline, cost_per_run_usd: 0.1 + 0.2, error_rate: 0.7 + 1e-16 },
  )
  expect(compared).toMatchObject({
    baseline_cost_per_run_usd: 0.3,
    candidate_cost_per_run_usd: 0.3,
    delta_cost_per_run_usd: 0,
    delta_cost_per_run_pct: 0,
    delta_error_rate: 0,
  })
})

test('every number has at most 12 significant digits', () => {
  fc.assert(
    fc.property(sideMetrics, sideMetrics, (left, right) => {
      for (const value of Object.values(compareSides(left, right))) {
        expect(value === null ? null : round12(value)).toBe(value)
      }
    }),
  )
})

test('swapping the sides turns every difference round', () => {
  fc.assert(
    fc.property(sideMetrics, sideMetrics, (left, right) => {
      const [there, back] = [compareSides(left, right), compareSides(right, left)]
      expect(there.delta_cost_per_run_usd + back.delta_cost_per_run_usd).toBe(0)
      expect(there.delta_error_rate + back.delta_error_rate).toBe(0)
      expect((there.delta_latency_ms_avg ?? 0) + (back.delta_latency_ms_avg ?? 0)).toBe(0)
      expect(there.baseline_cost_per_run_usd).toBe(back.candidate_cost_per_run_usd)
    }),
  )
})
