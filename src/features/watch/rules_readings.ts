import type { Policy } from '../../models/documents/policy.ts'
import type { samplesOf } from '../../rules/diff_statistics.ts'
import type { Sample } from '../../rules/statistics/samples.ts'
import { designEffectOf } from '../../rules/statistics/variances.ts'
import { type WatchReading, watchMean, watchRate } from './rules_sequential.ts'

/** What a watch compares, in the order in which it tells of it. */
export const WATCHED = ['cost_per_run_usd', 'latency_ms', 'error_rate'] as const
export type Watched = (typeof WATCHED)[number]

/** Largest rise of each that is no regression: of means a fraction, of the error rate a difference. */
export type WatchLimits = Readonly<Record<Watched, number>>

/** The limits of a policy on rises; where it has none, any rise that is proven is a regression. */
export function watchLimits(policy: Policy): WatchLimits {
  return {
    cost_per_run_usd: policy.max_cost_increase_pct ?? 0,
    latency_ms: policy.max_latency_increase_pct ?? 0,
    error_rate: policy.max_error_rate_increase ?? 0,
  }
}

export type WatchReadings = Readonly<Record<Watched, WatchReading>>

/**
 * Compares two samples at one look. Each metric has a third of 5 % for false alarms over all looks of a watch, so all
 * three together have 5 % (Bonferroni). Of the two sides the larger design effect counts for both: either may be measured
 * too small.
 */
export function readWatch(
  baseline: ReturnType<typeof samplesOf>,
  candidate: ReturnType<typeof samplesOf>,
  limits: WatchLimits,
): WatchReadings {
  const mean = (metric: Exclude<Watched, 'error_rate'>): WatchReading =>
    watchMean(
      {
        baseline: baseline[metric].moments,
        design_effect: designEffect(baseline[metric], candidate[metric]),
        limit: limits[metric],
      },
      candidate[metric].moments,
    )
  const [b, c] = [baseline.error_rate, candidate.error_rate]
  return {
    cost_per_run_usd: mean('cost_per_run_usd'),
    latency_ms: mean('latency_ms'),
    error_rate: watchRate(
      { baseline: countOf(b), design_effect: designEffect(b, c), limit: limits.error_rate },
      countOf(c),
    ),
  }
}

function designEffect(baseline: Sample, candidate: Sample): number {
  return Math.max(designEffectOf(baseline) ?? 1, designEffectOf(candidate) ?? 1)
}

function countOf({ moments: { n, mean } }: Sample): { events: number; runs: number } {
  return { events: Math.round(mean * n), runs: n }
}
