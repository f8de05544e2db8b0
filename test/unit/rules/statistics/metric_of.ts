import type { MetricStatistics } from '../../../../src/rules/statistics/metric.ts'
import type { Estimate } from '../../../../src/rules/statistics/intervals.ts'

/** An interval, and its middle. */
export function estimate(low: number | null, high: number | null): Estimate {
  return { estimate: low === null || high === null ? 0 : (low + high) / 2, low, high }
}

/** What a limit is decided by, with 500 runs of mean 100 a side where nothing else is said. */
export function metricOf(given: Partial<MetricStatistics>): MetricStatistics {
  return {
    baseline_runs: 500,
    candidate_runs: 500,
    baseline_mean: 100,
    candidate_mean: 100,
    baseline_stddev: 30,
    candidate_stddev: 30,
    difference: estimate(-5, 5),
    relative_change: estimate(-0.05, 0.05),
    interval: 'fixed',
    confidence_level: 0.95,
    verdict: 'no_difference',
    inconclusive_because: null,
    design_effect: 1,
    clusters: { baseline: 24, candidate: 24, shared_runs_share: 1 },
    min_runs: 10,
    is_skewed_small_candidate: false,
    smallest_provable_limit: 0.1,
    runs_needed: { limit: 0.1, runs_per_side: 1, candidate_runs: 1, candidate_runs_missing: 0 },
    ...given,
  }
}
