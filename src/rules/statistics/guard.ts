import { round12 } from '../../base/numbers.ts'
import type { Arms } from './arms.ts'
import { largestProven, sequentialFactorOneSided } from './intervals.ts'
import { type Count, clopperPearsonUpper, deflated, rateVariance, sequentialRate } from './rates.ts'
import { type Sample, varianceOf } from './samples.ts'
import { overlapWeight } from './stratified.ts'
import { effectiveNumber, influences, sumOfSquares } from './variances.ts'

/** What a guard sees of one metric at one look. Plain JSON. */
export interface GuardReading {
  /** By what the rise is known to be beyond the limit; null where it is not. */
  readonly alarm: 'sequential' | 'exact' | null
  readonly baseline_runs: number
  readonly candidate_runs: number
  /** Largest rise that is no harm: of a mean a fraction, of a rate a difference. */
  readonly limit: number
  /** The rise, in the same unit; null where that is undefined. */
  readonly change: number | null
  /** Below it the rise is not, at any look, but in `alpha` of all rollouts; null while that isn't known. */
  readonly low: number | null
  /** A rise that would be seen by now in half of all cases; null while there are too few runs for any. */
  readonly smallest_detectable: number | null
}

/** Fewest runs of each arm for an alarm, and fewest runs and errors for one by the exact bound. */
const LEAST_RUNS = 50
const [LEAST_EXACT_RUNS, LEAST_EXACT_ERRORS] = [10, 3]

/** Fewest buckets, by their weight, of each arm: below it the variance between units is a guess. */
const LEAST_GUARD_BUCKETS = 6

/** Buckets that units are gathered in. */
const BUCKETS = 100

/** Both arms over all steps, each step weighted by what it tells: w = n_b·n_c/(n_b + n_c). */
interface Weighed {
  readonly steps: readonly Arms[]
  readonly weights: readonly number[]
  readonly baseline_mean: number
  readonly candidate_mean: number
  readonly baseline_runs: number
  readonly candidate_runs: number
  readonly weight: number
}

/** Steps in which an arm has no runs say nothing. */
function weigh(all: readonly Arms[]): Weighed {
  const steps = all.filter(({ baseline, candidate }) => baseline.moments.n > 0 && candidate.moments.n > 0)
  const weights = steps.map(({ baseline, candidate }) =>
    overlapWeight(baseline.moments.n, candidate.moments.n),
  )
  const weight = sum(weights)
  const meanOf = (side: keyof Arms): number =>
    weight === 0 ? 0 : sum(steps.map((arms, step) => weights[step]! * arms[side].moments.mean)) / weight
  const runsOn = (side: keyof Arms): number => sum(steps.map(arms => arms[side].moments.n))
  return {
    steps,
    weights,
    weight,
    baseline_mean: meanOf('baseline'),
    candidate_mean: meanOf('candidate'),
    baseline_runs: runsOn('baseline'),
    candidate_runs: runsOn('candidate'),
  }
}

/**
 * Guards a mean over the steps of a split by chance. Any number of looks, and steps whose shares differ, together raise a
 * false alarm in `alpha` of all rollouts. `steps` are the arms of each step in which the candidate ran.
 */
export function guardMean(steps: readonly Arms[], limit: number, alpha: number): GuardReading {
  const weighed = weigh(steps)
  const { baseline_mean: b, candidate_mean: c } = weighed
  const known = { ...runsOf(weighed), limit, change: b > 0 && weighed.weight > 0 ? round12(c / b - 1) : null }
  if (!isEnough(weighed)) return { alarm: null, ...known, low: null, smallest_detectable: null }
  const variance = varianceOver(weighed, ({ moments }) => varianceOf(moments) / moments.n)
  const k = sequentialFactorOneSided(4 * weighed.weight, alpha)
  const excess = (rise: number): number => c - (1 + rise) * b - k * Math.sqrt(variance(1 + rise))
  return {
    alarm: round12(excess(limit)) > 0 ? 'sequential' : null,
    ...known,
    low: b > 0 ? round12(largestProven(excess, c / b - 1)) : null,
    smallest_detectable: b > 0 ? round12(limit + (k * Math.sqrt(variance(1 + limit))) / b) : null,
  }
}

/**
 * Guards a rate in the same way. Half of `alpha` goes to a bound for many runs, half to an exact one that sees a release
 * which fails at once.
 */
export function guardRate(steps: readonly Arms[], limit: number, alpha: number): GuardReading {
  const weighed = weigh(steps)
  const { baseline_mean: b, candidate_mean: c, weight } = weighed
  const known = { ...runsOf(weighed), limit, change: weight > 0 ? round12(c - b) : null }
  const exact = exactLow(weighed, alpha / 4)
  let [bySequence, margin]: [number | undefined, number] = [undefined, 0]
  if (isEnough(weighed)) {
    const variance = varianceOver(weighed, arm => rateVariance(countOf(arm)))
    margin = sequentialFactorOneSided(4 * weight, alpha / 2) * Math.sqrt(variance(1))
    bySequence = c - b - margin
  }
  const isBeyond = (low: number | undefined): boolean => low !== undefined && round12(low) > round12(limit)
  const lows = [bySequence, exact].filter(low => low !== undefined)
  return {
    alarm: isBeyond(bySequence) ? 'sequential' : isBeyond(exact) ? 'exact' : null,
    ...known,
    low: lows.length === 0 ? null : round12(Math.max(...lows)),
    smallest_detectable: bySequence === undefined ? null : round12(limit + margin),
  }
}

/**
 * A bound that the mean of one side is not below at any look, but in `alpha` of all cases; undefined while there are too few
 * runs.
 */
export function lowOfMean(sample: Sample, alpha: number): number | undefined {
  const { n, mean } = sample.moments
  if (n < LEAST_RUNS) return undefined
  const independent = varianceOf(sample.moments) / n
  const isKnown = effectiveNumber(sample) >= LEAST_GUARD_BUCKETS
  const variance = Math.max(independent, isKnown ? sumOfSquares(influences(sample)) : 0)
  return mean - sequentialFactorOneSided(n, alpha) * Math.sqrt(variance)
}

/** The same of a rate, exactly, from 10 runs on of which 3 failed. */
export function lowOfRate(sample: Sample, alpha: number): number | undefined {
  const count = countOf(sample)
  if (count.runs < LEAST_EXACT_RUNS || count.events < LEAST_EXACT_ERRORS) return undefined
  return sequentialRate(deflated(count, Math.max(1, designEffect(sample))), alpha).low!
}

function runsOf({ baseline_runs, candidate_runs }: Weighed) {
  return { baseline_runs, candidate_runs }
}

function isEnough({ steps, weights, baseline_runs, candidate_runs }: Weighed): boolean {
  if (Math.min(baseline_runs, candidate_runs) < LEAST_RUNS) return false
  return (['baseline', 'candidate'] as const).every(
    side => bucketsOf(steps, weights, side) >= LEAST_GUARD_BUCKETS,
  )
}

/** Effective number of buckets of an arm over all steps, by what each of them weighs. */
function bucketsOf(steps: readonly Arms[], weights: readonly number[], side: keyof Arms): number {
  const clusters = new Map<string, { n: number }>()
  for (const [step, arms] of steps.entries()) {
    const { moments, clusters: own } = arms[side]
    for (const [bucket, { n }] of own) {
      const before = clusters.get(bucket)?.n ?? 0
      clusters.set(bucket, { n: before + (weights[step]! * n) / moments.n })
    }
  }
  return effectiveNumber({ clusters })
}

/**
 * Variance of M_c − scale·M_b by `scale`: the larger of that of independent runs, and that between buckets, whose
 * influences add up over both arms and all steps, because the units of a bucket stay in it.
 */
function varianceOver(
  { steps, weights, weight }: Weighed,
  varianceOfMean: (arm: Sample) => number,
): (scale: number) => number {
  const influence = { baseline: new Map<string, number>(), candidate: new Map<string, number>() }
  const independent = { baseline: 0, candidate: 0 }
  for (const [step, arms] of steps.entries()) {
    const share = weights[step]! / weight
    for (const side of ['baseline', 'candidate'] as const) {
      const { moments, clusters } = arms[side]
      independent[side] += share * share * varianceOfMean(arms[side])
      for (const [bucket, { n, sum: total }] of clusters) {
        const own = (share * (total - moments.mean * n)) / moments.n
        influence[side].set(bucket, (influence[side].get(bucket) ?? 0) + own)
      }
    }
  }
  const [b, c] = [sumOfSquares(influence.baseline), sumOfSquares(influence.candidate)]
  const both = sum(
    Array.from(influence.candidate, ([bucket, own]) => own * (influence.baseline.get(bucket) ?? 0)),
  )
  return scale =>
    Math.max(
      ((c - 2 * scale * both + scale * scale * b) * BUCKETS) / (BUCKETS - 1),
      independent.candidate + scale * scale * independent.baseline,
    )
}

/** Failures of one unit come together, so both sides count as often as the baseline's units say that they do. */
function exactLow({ steps }: Weighed, alpha: number): number | undefined {
  const [baseline, candidate] = (['baseline', 'candidate'] as const).map(side =>
    steps.map(arms => countOf(arms[side])).reduce(add, { events: 0, runs: 0 }),
  ) as [Count, Count]
  if (candidate.runs < LEAST_EXACT_RUNS || candidate.events < LEAST_EXACT_ERRORS) return undefined
  if (baseline.runs < LEAST_RUNS) return undefined
  const effect = Math.max(1, ...steps.map(arms => designEffect(arms.baseline)))
  const [b, c] = [deflated(baseline, effect), deflated(candidate, effect)]
  return sequentialRate(c, alpha).low! - clopperPearsonUpper(b, alpha)
}

function designEffect(arm: Sample): number {
  const { n, mean } = arm.moments
  const independent = (mean * (1 - mean)) / n
  if (independent === 0 || effectiveNumber(arm) < LEAST_GUARD_BUCKETS) return 1
  return sumOfSquares(influences(arm)) / independent
}

function countOf({ moments: { n, mean } }: Sample): Count {
  return { events: Math.round(mean * n), runs: n }
}

function add(a: Count, b: Count): Count {
  return { events: a.events + b.events, runs: a.runs + b.runs }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
