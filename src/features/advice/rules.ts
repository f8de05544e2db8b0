import { round12 } from '../../base/numbers.ts'
import type { PolicyAdvice } from './models.ts'
import { type MeasuredSide, type plannedBy, samplesOf, knowFailed } from '../../rules/diff_statistics.ts'
import { compareMeans, compareRates } from '../../rules/statistics/compare.ts'
import type { CompareOptions } from '../../rules/statistics/metric.ts'
import { type Sample, variationOf } from '../../rules/statistics/samples.ts'
import { designEffectOf } from '../../rules/statistics/variances.ts'

/** Limits that are looked at, of means as fractions, of rates as differences. */
const LIMITS = { mean: [0.05, 0.1, 0.2, 0.5], rate: [0.01, 0.02, 0.05] } as const

const METRICS = [
  { metric: 'cost_per_run_usd', policy_key: 'max_cost_increase_pct', kind: 'mean' },
  { metric: 'latency_ms', policy_key: 'max_latency_increase_pct', kind: 'mean' },
  { metric: 'error_rate', policy_key: 'max_error_rate_increase', kind: 'rate' },
] as const

/**
 * Which limits traffic like this could prove: runs of each side with which an unchanged release passes in 80 of 100
 * cases, by the same plan as a gate that lacks evidence, and the days that takes where both sides share the traffic.
 */
export function adviseLimits(
  side: MeasuredSide,
  planned: ReturnType<typeof plannedBy>,
  perHour: number | null,
): Pick<PolicyAdvice, 'runs_per_day' | 'limits_at_once' | 'metrics'> {
  const samples = samplesOf(side, knowFailed([side]))
  const all = samples.error_rate.moments.n
  return {
    runs_per_day: round12(24 * (perHour ?? 0)),
    limits_at_once: planned.limits,
    metrics: METRICS.map(({ metric, policy_key, kind }) => {
      const sample = samples[metric]
      const { n, mean } = sample.moments
      return {
        metric,
        policy_key,
        runs: n,
        mean: n === 0 ? null : round12(mean),
        variation: kind === 'mean' && mean > 0 ? round12(variationOf(sample.moments)) : null,
        design_effect: designEffect(sample),
        limits: LIMITS[kind].map(limit => {
          const runs = runsPerSide(sample, kind, { ...planned, planned_limit: limit })
          // Both sides share the traffic, of which only runs that carry the metric count.
          const days = runs === null || !perHour ? null : (2 * runs * all) / n / perHour / 24
          return { limit, runs_per_side: runs, days: days === null ? null : round12(days) }
        }),
      }
    }),
  }
}

function designEffect(sample: Sample): number | null {
  const effect = designEffectOf(sample)
  return effect === null ? null : round12(effect)
}

/** As many as two sides would need that are both like this one. */
function runsPerSide(sample: Sample, kind: 'mean' | 'rate', options: CompareOptions): number | null {
  const clusters = new Map(Array.from(sample.clusters, ([key, sum]) => [`other ${key}`, sum]))
  const compare = kind === 'mean' ? compareMeans : compareRates
  return compare(sample, { ...sample, clusters }, options).runs_needed.runs_per_side
}
