import type { Reading } from '../../models/answers/reading.ts'
import { round12 } from '../../base/numbers.ts'
import {
  ALPHA,
  TUNED_FOR_RUNS,
  largestProven,
  meanDifference,
  relativeChange,
  roundOrNull,
  sequentialFactorOneSided,
  sequentialRuns,
} from '../../rules/statistics/intervals.ts'
import { type Moments, NO_MOMENTS, mergeMoments, varianceOf } from '../../rules/statistics/samples.ts'
import {
  type Count,
  clopperPearsonUpper,
  deflated,
  rateVariance,
  sequentialRate,
} from '../../rules/statistics/rates.ts'
import {
  type ExpectedMean,
  LEAST_DAY_RUNS,
  type SameHours,
  expectedMean,
  riseMargin,
} from '../../rules/statistics/same_hours.ts'
import { type MeanVariances, differenceVariance } from '../../rules/statistics/variances.ts'

/** Cost, latency and errors share what false alarms a watch may raise. */
export const WATCH_ALPHA = ALPHA / 3

/** Fewest runs of the baseline that a watch compares with, but for the exact bound. */
export const LEAST_BASELINE_RUNS = 200
/** Fewest runs of the candidate for an alarm, and fewest runs of either side and errors for one by the exact bound. */
const LEAST_RUNS = 50
const [LEAST_EXACT_RUNS, LEAST_EXACT_ERRORS] = [10, 3]

/** What a watch of a mean keeps of the baseline from its start on. Plain JSON. */
export interface WatchedMean {
  readonly baseline: Moments
  /** As measured before the watch, by sessions where they are known. */
  readonly design_effect: number
  /** Largest rise that is no regression, as a fraction. */
  readonly limit: number
}

/** What a watch of a rate keeps of the baseline from its start on. Plain JSON. */
export interface WatchedRate {
  readonly baseline: Count
  readonly design_effect: number
  /** Largest rise that is no regression, as a difference. */
  readonly limit: number
}

/** Reads the watch of a mean. Any number of readings together raise a false alarm in `alpha` of all watches. */
export function watchMean(
  { baseline, design_effect, limit }: WatchedMean,
  candidate: Moments,
  alpha: number = WATCH_ALPHA,
  tunedForRuns: number = TUNED_FOR_RUNS,
): Reading {
  const known = {
    baseline_runs: baseline.n,
    candidate_runs: candidate.n,
    limit,
    change: baseline.mean > 0 && candidate.n > 0 ? round12(candidate.mean / baseline.mean - 1) : null,
  }
  if (!isEnough(baseline.n, candidate.n))
    return { alarm: null, ...known, low: null, smallest_detectable: null }
  const variances = {
    ...UNCORRELATED,
    baseline: (design_effect * varianceOf(baseline)) / baseline.n,
    candidate: (design_effect * varianceOf(candidate)) / candidate.n,
  }
  const k = sequentialFactorOneSided(sequentialRuns(baseline.n, candidate.n), alpha, tunedForRuns)
  const margin = k * Math.sqrt((1 + limit) ** 2 * variances.baseline + variances.candidate)
  return {
    alarm: round12(candidate.mean) > round12((1 + limit) * baseline.mean + margin) ? 'sequential' : null,
    ...known,
    low: roundOrNull(relativeChange(baseline.mean, candidate.mean, variances, k)?.low ?? null),
    smallest_detectable: baseline.mean > 0 ? round12(limit + margin / baseline.mean) : null,
  }
}

/** Runs by slot of the day: of the baseline on earlier days, of the release since the watch began. */
export type Slots = SameHours<Moments>

/**
 * Reads the watch of a mean against the same hours of earlier days; undefined where there are too few of those. A day is
 * one draw: how much days differ is in the bound. `clusterEffect` is how many times the variance of independent runs that
 * of runs in sessions or tenants is.
 */
export function watchMeanByHours(
  slots: Slots,
  limit: number,
  clusterEffect = 1,
  alpha = WATCH_ALPHA,
): Reading | undefined {
  const expected = enoughOf(slots, clusterEffect)
  if (expected === undefined) return undefined
  const { baseline_mean: b, candidate_mean: c, candidate_runs } = expected
  const known = { ...comparedOf(expected), limit, change: b > 0 ? round12(c / b - 1) : null }
  if (candidate_runs < LEAST_RUNS) return { ...known, alarm: null, low: null, smallest_detectable: null }
  const excess = (rise: number): number =>
    c - (1 + rise) * b - riseMargin(expected, { scale: 1 + rise, alpha })
  return {
    ...known,
    alarm: round12(excess(limit)) > 0 ? 'sequential' : null,
    low: b > 0 ? round12(largestProven(excess, c / b - 1)) : null,
    smallest_detectable:
      b > 0 ? round12(limit + riseMargin(expected, { scale: 1 + limit, alpha }) / b) : null,
  }
}

/** The same of a rate, whose values are 0 and 1, with the exact bound for a release that fails at once. */
export function watchRateByHours(
  slots: Slots,
  limit: number,
  clusterEffect = 1,
  alpha = WATCH_ALPHA,
): Reading | undefined {
  const expected = enoughOf(slots, clusterEffect)
  if (expected === undefined) return undefined
  const { baseline_mean: b, candidate_mean: c, baseline_runs, candidate_runs } = expected
  const count = (rate: number, runs: number): Count => ({ events: Math.round(rate * runs), runs })
  const candidate = count(c, candidate_runs)
  const effect = expected.candidate_design_effect
  const margin = riseMargin(
    {
      ...expected,
      // Above 0 even where nothing failed.
      baseline_variance: Math.max(
        expected.baseline_variance,
        clusterEffect * rateVariance(count(b, baseline_runs)),
      ),
      candidate_variance: rateVariance(deflated(candidate, effect)) / effect,
    },
    { scale: 1, alpha: alpha / 2 },
  )
  const highestDay = Math.max(...slots.days.map(rateOfDay))
  const exact = isFailing(candidate)
    ? sequentialRate(deflated(candidate, effect), alpha / 4).low! -
      Math.max(clopperPearsonUpper(count(b, baseline_runs), alpha / 4), highestDay)
    : undefined
  const bySequence = candidate_runs < LEAST_RUNS ? undefined : c - b - margin
  const lows = [bySequence, exact].filter(low => low !== undefined)
  const isBeyond = (low: number | undefined): boolean => low !== undefined && round12(low) > round12(limit)
  return {
    ...comparedOf(expected),
    limit,
    change: round12(c - b),
    alarm: isBeyond(exact) ? 'exact' : isBeyond(bySequence) ? 'sequential' : null,
    low: lows.length === 0 ? null : round12(Math.max(...lows)),
    smallest_detectable: bySequence === undefined ? null : round12(limit + margin),
  }
}

function enoughOf(slots: Slots, clusterEffect: number): ExpectedMean | undefined {
  const expected = expectedMean(slots)
  if (expected === undefined || expected.baseline_runs < LEAST_BASELINE_RUNS) return undefined
  return {
    ...expected,
    baseline_variance: clusterEffect * expected.baseline_variance,
    candidate_design_effect: Math.max(clusterEffect, expected.candidate_design_effect),
  }
}

function comparedOf({ days, baseline_runs, candidate_runs }: ExpectedMean) {
  return { by: 'same_hours' as const, days, baseline_runs, candidate_runs }
}

/** Share of a day's runs; 0 where it has too few to tell. */
function rateOfDay(day: readonly Moments[]): number {
  const { n, mean } = day.reduce(mergeMoments, NO_MOMENTS)
  return n < LEAST_DAY_RUNS ? 0 : mean
}

/**
 * Reads the watch of a rate. Half of `alpha` goes to a bound for many runs, half to an exact one that sees a release
 * which fails at once.
 */
export function watchRate(
  { baseline, design_effect, limit }: WatchedRate,
  candidate: Count,
  alpha: number = WATCH_ALPHA,
  tunedForRuns: number = TUNED_FOR_RUNS,
): Reading {
  const [b, c] = [deflated(baseline, design_effect), deflated(candidate, design_effect)]
  const byExact = exactLow(b, c, candidate, alpha / 4)
  const bySequence = sequentialLow(baseline, candidate, design_effect, alpha / 2, tunedForRuns)
  const lows = [bySequence?.low, byExact].filter(low => low !== undefined)
  const isBeyond = (low: number | undefined): boolean => low !== undefined && round12(low) > round12(limit)
  return {
    alarm: isBeyond(byExact) ? 'exact' : isBeyond(bySequence?.low) ? 'sequential' : null,
    baseline_runs: baseline.runs,
    candidate_runs: candidate.runs,
    limit,
    change:
      baseline.runs > 0 && candidate.runs > 0
        ? round12(candidate.events / candidate.runs - baseline.events / baseline.runs)
        : null,
    low: lows.length === 0 ? null : round12(Math.max(...lows)),
    smallest_detectable: bySequence === undefined ? null : round12(limit + bySequence.margin),
  }
}

function sequentialLow(
  baseline: Count,
  candidate: Count,
  designEffect: number,
  alpha: number,
  tunedForRuns: number,
): { readonly low: number; readonly margin: number } | undefined {
  if (!isEnough(baseline.runs, candidate.runs)) return undefined
  const [b, c] = [deflated(baseline, designEffect), deflated(candidate, designEffect)]
  const variances = { ...UNCORRELATED, baseline: rateVariance(b), candidate: rateVariance(c) }
  const k = sequentialFactorOneSided(sequentialRuns(baseline.runs, candidate.runs), alpha, tunedForRuns)
  const { low } = meanDifference(b.events / b.runs, c.events / c.runs, variances, k)
  return { low: low!, margin: k * Math.sqrt(differenceVariance(variances)) }
}

function exactLow(b: Count, c: Count, candidate: Count, alpha: number): number | undefined {
  if (!isFailing(candidate) || b.runs < LEAST_EXACT_RUNS) return undefined
  return sequentialRate(c, alpha).low! - clopperPearsonUpper(b, alpha)
}

function isFailing({ runs, events }: Count): boolean {
  return runs >= LEAST_EXACT_RUNS && events >= LEAST_EXACT_ERRORS
}

function isEnough(baselineRuns: number, candidateRuns: number): boolean {
  return baselineRuns >= LEAST_BASELINE_RUNS && candidateRuns >= LEAST_RUNS
}

const UNCORRELATED: Pick<MeanVariances, 'covariance' | 'df' | 'df_ratio'> = {
  covariance: 0,
  df: Infinity,
  df_ratio: Infinity,
}
