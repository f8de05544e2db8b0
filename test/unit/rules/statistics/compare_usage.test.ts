import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareUsage } from '../../../../src/rules/statistics/compare.ts'
import type { UsageCell } from '../../../../src/rules/statistics/samples.ts'
import { numbersIn, tokenCell } from './samples_of.ts'

describe('compareUsage', () => {
  const KINDS = ['input_tokens', 'output_tokens', 'cached_input_tokens']
  const usd_per_token = new Map([
    ['m1', [1e-6, 4e-6, 0]],
    ['m2', [2e-6, 8e-6, 1e-7]],
  ])
  const cell = fc
    .record({
      cluster: fc.constantFrom('1', '2', '3', '4', '5', '6'),
      model: fc.constantFrom('m1', 'm2'),
      runs: fc.array(fc.tuple(fc.nat(1e12), fc.nat(1e12), fc.constantFrom(0, 1, 1e12)), {
        minLength: 1,
        maxLength: 12,
      }),
      latencies: fc.array(fc.constantFrom(0, 1, 1e10 - 1, 1e10), { maxLength: 12 }),
      failed: fc.nat(12),
    })
    .map(({ runs, latencies, failed, ...named }): UsageCell => {
      const kept = latencies.slice(0, runs.length)
      return tokenCell(runs, {
        ...named,
        errors: Math.min(failed, runs.length),
        latency_count: kept.length,
        latency_sum_ms: kept.reduce((sum, ms) => sum + ms, 0),
        latency_sum_ms2: kept.reduce((sum, ms) => sum + ms * ms, 0),
      })
    })
  const side = fc.record({
    cells: fc.array(cell, { maxLength: 12 }),
    usd_per_token: fc.constant(usd_per_token),
  })

  test('is plain JSON without NaN at the bounds of what is accepted, and the same in any order of cells', () => {
    const options = fc.record({
      sequential: fc.boolean(),
      clusters: fc.constantFrom('blocks' as const, 'units' as const),
    })
    fc.assert(
      fc.property(side, side, options, (baseline, candidate, asked) => {
        const found = compareUsage(baseline, candidate, KINDS, asked)
        expect(JSON.parse(JSON.stringify(found))).toEqual(found)
        expect(numbersIn(found).every(Number.isFinite)).toBe(true)
        const reversed = { ...baseline, cells: baseline.cells.toReversed() }
        expect(compareUsage(reversed, candidate, KINDS, asked)).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })

  test('names its metrics, with options for each', () => {
    const cells = [tokenCell(Array.from({ length: 30 }, (_, index) => [100 + index, 10, 0]))]
    const found = compareUsage({ cells, usd_per_token }, { cells, usd_per_token }, KINDS, {
      metrics: { cost_per_run_usd: { planned_limit: 0.3 } },
    })
    expect(Object.keys(found.tokens_per_run)).toEqual(KINDS)
    expect(found.cost_per_run_usd.runs_needed.limit).toBe(0.3)
    expect(found.latency_ms).toMatchObject({ baseline_runs: 0, inconclusive_because: 'no_data' })
    expect(found.error_rate).toMatchObject({ baseline_runs: 30, baseline_mean: 0 })
    expect(found.tokens_per_run.input_tokens).toMatchObject({ baseline_mean: 114.5 })
    expect(found.cost_per_run_usd.baseline_mean).toBe(0.0001545)
  })
})
