import { expect, test } from 'vitest'
import type { PricingEntry } from '../../../src/models/documents/pricing.ts'
import { type MeasuredSide, diffStatistics } from '../../../src/rules/diff_statistics.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'

const RUNS = 50

/** Runs of so many input tokens on average, at a price per 1,000, in 24 blocks. */
function side(tokens: number, usd: number): MeasuredSide {
  const aggregates = Array.from({ length: 24 }, (_, block) => {
    const values = Array.from({ length: RUNS }, (_unused, index) => tokens + (index % 2 === 0 ? 100 : -100))
    return {
      agent_id: 'bot',
      provider: 'acme',
      model: 'm1',
      block,
      runs: RUNS,
      errors: 0,
      latency_count: 0,
      latency_sum_ms: 0,
      latency_sum_ms2: 0,
      input_tokens: values.reduce((sum, value) => sum + value, 0),
      output_tokens: 0,
      cached_input_tokens: 0,
      token_products: [values.reduce((sum, value) => sum + value * value, 0), 0, 0, 0, 0, 0],
    }
  })
  const price = { model: 'm1', input_usd_per_1k_tokens: usd, output_usd_per_1k_tokens: 0 } as PricingEntry
  return { aggregates, rates: new Map([['m1', price]]) }
}

test('where prices differ, the change at equal prices is said', () => {
  const thresholds = { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 }
  const window = { since: 0, until: 86_400_000 }
  const of = (baseline: MeasuredSide, candidate: MeasuredSide) =>
    diffStatistics(baseline, candidate, { policy: DEFAULT_POLICY, thresholds, sequential: false, window })
  const cheaper = of(side(1000, 1), side(1260, 0.5))
  expect(cheaper.cost_per_run_usd.relative_change!.estimate).toBeCloseTo(-0.37, 9)
  expect(cheaper.warnings).toContainEqual(
    expect.stringMatching(
      /^the price tables of the two releases differ: at the baseline's prices for both, cost per run changes by \+26\.0 % \[\+25\.\d %, \+26\.\d %\]$/,
    ),
  )
  expect(of(side(1000, 1), side(1260, 1)).warnings.join()).not.toContain('price')
})
