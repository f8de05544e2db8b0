import { type Estimate, factorAt, sequentialFactor } from './intervals.ts'
import type { Settings } from './metric.ts'
import { deflated, sequentialRate, wilson } from './rates.ts'
import { type Sample, varianceOf } from './samples.ts'
import { clustersOf, designEffectOf } from './variances.ts'

/** A rate with its interval, by runs that count less where blocks of time differ. */
export function rateEstimate(sample: Sample, { alpha, sequential, ...settings }: Settings): Estimate {
  const { n, mean } = sample.moments
  const count = deflated({ events: Math.round(mean * n), runs: n }, designEffectOf(sample) ?? 1)
  return sequential
    ? sequentialRate(count, alpha)
    : wilson(count, factorAt({ ...settings, alpha, sequential }, n, n, Infinity))
}

/** A mean with its interval: of independent values, or wider where blocks of time differ. */
export function meanEstimate(sample: Sample, settings: Settings): Estimate {
  const { n, mean } = sample.moments
  if (n < 2) return { estimate: mean, low: null, high: null }
  const designEffect = designEffectOf(sample) ?? 1
  const df = designEffect > 1 ? clustersOf(sample, sample).baseline - 1 : n - 1
  const factor = settings.sequential
    ? sequentialFactor(n, settings.alpha, settings.tuned_for_runs)
    : factorAt(settings, n, n, df)
  const margin = factor * Math.sqrt((designEffect * varianceOf(sample.moments)) / n)
  return { estimate: mean, low: mean - margin, high: mean + margin }
}
