import { round12 } from '../../base/numbers.ts'
import { normalQuantile, studentQuantile } from './distributions.ts'
import { type MeanVariances, differenceVariance } from './variances.ts'

/** A value with its interval; an end that is null has no bound. */
export interface Estimate {
  readonly estimate: number
  readonly low: number | null
  readonly high: number | null
}

/** Share of intervals that miss the truth, by default: 5 %. */
export const ALPHA = 0.05

/** More standard errors say nothing, and their square would overflow. */
const MOST_FACTOR = 1e100

/** Standard errors to each side of a two-sided interval of means: Student's t. */
export function studentFactor(df: number, alpha = ALPHA): number {
  return steady(Math.min(MOST_FACTOR, studentQuantile(1 - alpha / 2, df)))
}

/** The same where variances are known, as those of rates are. */
export function normalFactor(alpha = ALPHA): number {
  return steady(normalQuantile(1 - alpha / 2))
}

/** Logarithms and powers differ between JavaScript engines in their last bits, and must not show on another runtime. */
export function steady(value: number): number {
  return Number(value.toPrecision(10))
}

/** Runs on both sides together at which a sequential interval is narrowest, compared with others of its kind. */
export const TUNED_FOR_RUNS = 1000

/**
 * Standard errors to each side of an interval that holds at all times, however often it is looked at (Waudby-Smith et
 * al. 2024, arXiv 2103.06476).
 */
export function sequentialFactor(runs: number, alpha = ALPHA, tunedFor = TUNED_FOR_RUNS): number {
  const y = runs * mixture(alpha, tunedFor)
  return steady(Math.sqrt(2 * (1 + 1 / y) * Math.log(Math.sqrt(1 + y) / alpha)))
}

/** Standard errors to the one side of a bound that holds at all times. */
export function sequentialFactorOneSided(runs: number, alpha: number, tunedFor = TUNED_FOR_RUNS): number {
  const y = runs * mixture(2 * alpha, tunedFor)
  return steady(Math.sqrt(2 * (1 + 1 / y) * Math.log(1 + Math.sqrt(1 + y) / (2 * alpha))))
}

function mixture(alpha: number, tunedFor: number): number {
  return (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tunedFor
}

/**
 * Runs of two sides as a sequential interval counts them: both together where they are equal. Of a fixed baseline and a
 * growing candidate it is the harmonic mean that measures information.
 */
export function sequentialRuns(baseline: number, candidate: number): number {
  return (4 * baseline * candidate) / (baseline + candidate)
}

/** Which intervals are wanted. */
export interface IntervalKind {
  readonly alpha: number
  /** Whether they hold however often they are looked at. */
  readonly sequential: boolean
  readonly tuned_for_runs: number
}

/** Standard errors to each side, for such runs of two sides and degrees of freedom. */
export function factorAt(
  kind: IntervalKind,
  baselineRuns: number,
  candidateRuns: number,
  df: number,
): number {
  return factorFor(kind, sequentialRuns(baselineRuns, candidateRuns), df)
}

/** The same for runs as {@link sequentialRuns} counts them; infinite degrees of freedom are those of a known variance. */
export function factorFor(
  { alpha, sequential, tuned_for_runs }: IntervalKind,
  runs: number,
  df: number,
): number {
  return sequential ? sequentialFactor(runs, alpha, tuned_for_runs) : studentFactor(df, alpha)
}

/** Difference of means, candidate less baseline, `factor` standard errors to each side. */
export function meanDifference(
  baseline: number,
  candidate: number,
  variances: MeanVariances,
  factor: number,
): Estimate {
  const margin = factor * Math.sqrt(differenceVariance(variances))
  const estimate = candidate - baseline
  return { estimate, low: estimate - margin, high: estimate + margin }
}

/**
 * Change of the mean as a fraction of the baseline's (Fieller 1954). Without bounds where the baseline's mean may be 0;
 * undefined where it isn't positive.
 */
export function relativeChange(
  baseline: number,
  candidate: number,
  variances: MeanVariances,
  factor: number,
): Estimate | undefined {
  if (baseline <= 0) return undefined
  const estimate = candidate / baseline - 1
  // In units of the baseline's mean, so that squares stay within what doubles hold.
  const ratio = candidate / baseline
  const scale = (factor / baseline) ** 2
  const a = 1 - scale * variances.baseline
  const b = ratio - scale * variances.covariance
  const c = ratio * ratio - scale * variances.candidate
  if (!(a > 0)) return { estimate, low: null, high: null }
  const root = Math.sqrt(Math.max(0, b * b - a * c))
  return { estimate, low: (b - root) / a - 1, high: (b + root) / a - 1 }
}

/** Change of a mean, both of them positive, `factor` standard errors of the logarithm of their ratio to each side. */
export function changeByLogarithm(
  baseline: number,
  candidate: number,
  variances: MeanVariances,
  factor: number,
): { readonly difference: Estimate; readonly relative_change: Estimate } {
  const ratio = candidate / baseline
  const relative = {
    baseline: variances.baseline / baseline ** 2,
    candidate: variances.candidate / candidate ** 2,
    covariance: variances.covariance / baseline / candidate,
  }
  const margin = factor * Math.sqrt(differenceVariance(relative))
  const change = {
    estimate: ratio - 1,
    low: ratio * Math.exp(-margin) - 1,
    high: ratio * Math.exp(margin) - 1,
  }
  const inUnit = (share: number): number => baseline * share
  return {
    difference: { estimate: candidate - baseline, low: inUnit(change.low), high: inUnit(change.high) },
    relative_change: change,
  }
}

/** Difference of two estimates that don't depend on each other, by square-and-add (Zou & Donner 2008). */
export function squareAndAdd(baseline: Estimate, candidate: Estimate): Estimate {
  const estimate = candidate.estimate - baseline.estimate
  const down = distance(candidate.estimate, candidate.low, baseline.estimate, baseline.high)
  const up = distance(candidate.estimate, candidate.high, baseline.estimate, baseline.low)
  return {
    estimate,
    low: down === null ? null : estimate - down,
    high: up === null ? null : estimate + up,
  }
}

function distance(a: number, aEnd: number | null, b: number, bEnd: number | null): number | null {
  return aEnd === null || bEnd === null ? null : Math.hypot(a - aEnd, b - bEnd)
}

/** An estimate as it is answered and compared: 12 significant digits. */
export function roundEstimate(estimate: Estimate): Estimate
export function roundEstimate(estimate: Estimate | null): Estimate | null
export function roundEstimate(estimate: Estimate | null): Estimate | null {
  if (estimate === null) return null
  const { estimate: value, low, high } = estimate
  return { estimate: round12(value), low: roundOrNull(low), high: roundOrNull(high) }
}

export function roundOrNull(value: number | null): number | null {
  return value === null ? null : round12(value)
}

/** The largest rise that is proven: where the excess over its bound ends, which falls with the rise. */
export function largestProven(excess: (rise: number) => number, measured: number): number {
  let [proven, beyond] = [-1, measured]
  if (excess(proven) <= 0) return proven
  for (let step = 0; step < 60; step++) {
    const middle = (proven + beyond) / 2
    if (excess(middle) > 0) proven = middle
    else beyond = middle
  }
  return proven
}
