import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareUsage } from '../../../../src/rules/statistics/compare.ts'
import type { UsageAggregate } from '../../../../src/rules/statistics/samples.ts'
import { numbersIn, tokenAggregate } from './samples_of.ts'

describe('compareUsage', () => {
  const KINDS = ['input_tokens', 'output_tokens', 'cached_input_tokens']
  const usd_per_token = new Map([
    ['m1', [1e-6, 4e-6, 0]],
    ['m2', [2e-6, 8e-6, 1e-7]],
  ])
  const aggregate = fc
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
    .map(({ runs, latencies, failed, ...named }): UsageAggregate => {
      const kept = latencies.slice(0, runs.length)
      return tokenAggregate(runs, {
        ...named,
        errors: Math.min(failed, runs.length),
        latency_count: kept.length,
        latency_sum_ms: kept.reduce((sum, ms) => sum + ms, 0),
        latency_sum_ms2: kept.reduce((sum, ms) => sum + ms * ms, 0),
      })
    })
  const side = fc.record({
    aggregates: fc.array(aggregate, { maxLength: 12 }),
    usd_per_token: fc.constant(usd_per_token),
  })

  test('is plain JSON without NaN at the bounds of what is accepted, and the same in any order of cells', () => {
    const options = fc.record({
      sequential: fc.boolean(),
      clusters: fc.constantFrom('blocks' as const, 'units' as const),
    })
    fc.assert(
      fc.property(side, side, options, (baseline, candidate, settings) => {
        const found = compareUsage(baseline, candidate, KINDS, settings)
        expect(JSON.parse(JSON.stringify(found))).toEqual(found)
        expect(numbersIn(found).every(Number.isFinite)).toBe(true)
        const reversed = { ...baseline, aggregates: baseline.aggregates.toReversed() }
        expect(compareUsage(reversed, candidate, KINDS, settings)).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })

  test('names its metrics, with options for each', () => {
    const aggregates = [tokenAggregate(Array.from({ length: 30 }, (_, index) => [100 + index, 10, 0]))]
    const found = compareUsage({ aggregates, usd_per_token }, { aggregates, usd_per_token }, KINDS, {
      metrics: { cost_per_run_usd: { planned_limit: 0.3 } },
    })
    expect(Object.keys(found.tokens_per_run)).toEqual(KINDS)
    expect(found.cost_per_run_usd.runs_needed.limit).toBe(0.3)
    expect(found.latency_ms).toMatchObject({ baseline_runs: 0, inconclusive_because: 'no_data' })
    expect(found.error_rate).toMatchObject({ baseline_runs: 30, baseline_mean: 0 })
    expect(found.tokens_per_run.input_tokens).toMatchObject({ baseline_mean: 114.5 })
    expect(found.cost_per_run_usd.baseline_mean).toBe(0.0001545)
  })
  test('gives each metric the options of all beside its own', () => {
    const aggregates = [tokenAggregate(Array.from({ length: 60 }, () => [100, 10, 0]))]
    const found = compareUsage({ aggregates, usd_per_token }, { aggregates, usd_per_token }, KINDS, {
      sequential: true,
      min_runs: 55,
      metrics: { latency_ms: { planned_limit: 0.2 }, error_rate: { planned_limit: 0.05 } },
    })
    const settings = { interval: 'sequential', min_runs: 55 }
    expect(found).toMatchObject({
      cost_per_run_usd: { ...settings, runs_needed: { limit: 0.1 } },
      latency_ms: { ...settings, runs_needed: { limit: 0.2 } },
      error_rate: { ...settings, runs_needed: { limit: 0.05 } },
      tokens_per_run: { input_tokens: settings },
    })
  })

  test('leaves models without a price out of the cost, and takes clusters from where they are given', () => {
    const runs = Array.from({ length: 30 }, () => [100, 0, 0])
    const priced = tokenAggregate(runs)
    const half = { aggregates: [priced, tokenAggregate(runs, { model: 'unheard of' })], usd_per_token }
    const clustered = ['a', 'b'].map(cluster => tokenAggregate(runs.slice(15), { cluster }))
    const { cost_per_run_usd, error_rate } = compareUsage(half, { ...half, clustered }, KINDS)
    expect(cost_per_run_usd).toMatchObject({
      baseline_runs: 30,
      candidate_mean: 0.0001,
      clusters: { baseline: 1, candidate: 2 },
    })
    expect(error_rate).toMatchObject({ baseline_runs: 60, clusters: { baseline: 1, candidate: 2 } })
  })
})
