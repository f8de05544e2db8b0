import * as fc from 'fast-check'
import type { Rates, SideMetrics } from '../../../src/rules/cost.ts'
import type { Sums, VariantSums } from '../../../src/rules/rollup.ts'

/** Sums of up to a thousand events: more errors or latencies than runs there are not. */
export const sums: fc.Arbitrary<Sums> = fc
  .tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000), fc.nat(1e7), fc.nat(1e7), fc.nat(1e7), fc.nat(1e7))
  .map(([runs, errors, latencies, latencySum, input, output, cached]) => ({
    runs,
    errors: Math.min(errors, runs),
    latency_count: Math.min(latencies, runs),
    latency_sum_ms: Math.min(latencies, runs) === 0 ? 0 : latencySum,
    input_tokens: runs === 0 ? 0 : input,
    output_tokens: runs === 0 ? 0 : output,
    cached_input_tokens: runs === 0 ? 0 : cached,
    cache_write_input_tokens: runs === 0 ? 0 : Math.min(input, cached),
  }))

const rate = fc.nat(100_000_000).map(microUsd => microUsd / 1e6)

/** Writing to a cache costs as much as other input, or more. */
export const rates: fc.Arbitrary<Rates> = fc
  .record({
    input_usd_per_1k_tokens: rate,
    output_usd_per_1k_tokens: rate,
    cached_input_usd_per_1k_tokens: fc.option(rate, { nil: null }),
    more: fc.option(rate, { nil: undefined }),
  })
  .map(({ more, ...given }) =>
    more === undefined
      ? given
      : { ...given, cache_write_input_usd_per_1k_tokens: given.input_usd_per_1k_tokens + more },
  )

export const sideMetrics: fc.Arbitrary<SideMetrics> = fc.record({
  runs: fc.nat(10_000),
  cost_per_run_usd: fc.oneof(fc.constant(0), fc.double({ min: 1e-12, max: 10, noNaN: true })),
  latency_ms_avg: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
  error_rate: fc.double({ min: 0, max: 1, noNaN: true }),
})

/** A variant whose sums are 0 where nothing else is said. */
export function variantOf(given: Partial<VariantSums>): VariantSums {
  return {
    agent_id: 'bot',
    provider: 'acme',
    model: 'm1',
    runs: 0,
    errors: 0,
    latency_count: 0,
    latency_sum_ms: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_input_tokens: 0,
    ...given,
  }
}
