import { type MetricChange, bothSpread, reportMeans, reportRates, withoutBounds } from './compare.ts'
import {
  type Estimate,
  type IntervalKind,
  factorFor,
  meanDifference,
  relativeChange,
  sequentialRuns,
} from './intervals.ts'
import { type CompareOptions, type MetricStatistics, type Settings, settingsOf } from './metric.ts'
import { meanProvable, nothingProvable, rateProvable } from './plan.ts'
import { type Count, deflated, rateIntervals } from './rates.ts'
import { type Sample, atLeastByTwo, varianceOf } from './samples.ts'
import type { Pair } from './stratified.ts'
import { type MeanVariances, effectiveNumber, influences, sumOfSquares } from './variances.ts'

/**
 * The two arms of a split by chance: values of units (sessions, users, tenants) that were assigned to either, clustered
 * by bucket of units. A bucket of one arm holds other units than the same bucket of the other arm.
 */
export type Arms = Pair<Sample>

/** Fewest buckets, by their weight, from which a variance between units is known. */
export const LEAST_BUCKETS = 10

/** How far the means of two arms may be off. */
interface ArmVariances extends MeanVariances {
  /** Effective number of buckets of each arm: n² / Σ n_g². */
  readonly buckets: Pair<number>
}

/**
 * Of each arm the larger of two variances of its mean: that between buckets (delete-one jackknife) and that of
 * independent runs. Degrees of freedom by Satterthwaite, over buckets.
 */
export function armVariances({ baseline, candidate }: Arms): ArmVariances {
  const [b, c] = [armVariance(baseline), armVariance(candidate)]
  const buckets = { baseline: effectiveNumber(baseline), candidate: effectiveNumber(candidate) }
  const ratio = baseline.moments.mean === 0 ? 1 : candidate.moments.mean / baseline.moments.mean
  return {
    baseline: b,
    candidate: c,
    covariance: 0,
    df: satterthwaite({ baseline: b, candidate: c }, buckets),
    df_ratio: satterthwaite({ baseline: ratio * ratio * b, candidate: c }, buckets),
    buckets,
  }
}

function armVariance(arm: Sample): number {
  return Math.max(sumOfSquares(influences(arm)), varianceOf(arm.moments) / arm.moments.n)
}

/** Degrees of freedom of a sum of two variances that so many buckets tell. */
function satterthwaite({ baseline: b, candidate: c }: Pair<number>, buckets: Pair<number>): number {
  const total = b + c
  if (total === 0) return buckets.baseline + buckets.candidate - 2
  return 1 / ((b / total) ** 2 / (buckets.baseline - 1) + (c / total) ** 2 / (buckets.candidate - 1))
}

/** A change that is adjusted by what the arms differed by before the candidate ran. */
interface AdjustedChange {
  /** Share of the earlier difference that lasts, in [0, 1]. */
  readonly theta: number
  /** Standard error and degrees of freedom of the logarithm of the ratio. */
  readonly standard_error: number
  readonly df: number
  readonly relative_change: Estimate
}

/**
 * The relative change of the mean, less the part of the arms' difference that was there already while all ran the
 * baseline (regression adjustment by bucket). Undefined where a mean isn't positive.
 */
export function adjustedChange(arms: Arms, before: Arms, interval: IntervalKind): AdjustedChange | undefined {
  const sides = (['baseline', 'candidate'] as const).map(side => ({
    now: relativeInfluences(arms[side]),
    earlier: relativeInfluences(before[side]),
    buckets: Math.min(effectiveNumber(arms[side]), effectiveNumber(before[side])),
  }))
  const means = [arms, before].flatMap(({ baseline, candidate }) => [baseline, candidate])
  if (means.some(({ moments }) => !(moments.mean > 0))) return undefined
  const products = (of: (now: number, earlier: number) => number): number =>
    sides.reduce(
      (sum, { now, earlier }) =>
        sum + [...earlier].reduce((own, [bucket, value]) => own + of(now.get(bucket) ?? 0, value), 0),
      0,
    )
  const spread = products((_, earlier) => earlier * earlier)
  const theta =
    spread === 0 ? 0 : Math.min(1, Math.max(0, products((now, earlier) => now * earlier) / spread))
  const variances = sides.map(({ now, earlier }) =>
    [...new Set([...now.keys(), ...earlier.keys()])].reduce((sum, bucket) => {
      const left = (now.get(bucket) ?? 0) - theta * (earlier.get(bucket) ?? 0)
      return sum + left * left
    }, 0),
  )
  const [b, c] = [variances[0]!, variances[1]!]
  const buckets = { baseline: sides[0]!.buckets, candidate: sides[1]!.buckets }
  const df = satterthwaite({ baseline: b, candidate: c }, buckets) - 1
  const standardError = Math.sqrt(b + c)
  const log = logRatio(arms) - theta * logRatio(before)
  const margin = factorFor(interval, runsOf(arms), df) * standardError
  return {
    theta,
    standard_error: standardError,
    df,
    relative_change: {
      estimate: Math.expm1(log),
      low: Math.expm1(log - margin),
      high: Math.expm1(log + margin),
    },
  }
}

function relativeInfluences(arm: Sample): Map<string, number> {
  return new Map(Array.from(influences(arm), ([bucket, own]) => [bucket, own / arm.moments.mean]))
}

function logRatio({ baseline, candidate }: Arms): number {
  return Math.log(candidate.moments.mean / baseline.moments.mean)
}

function runsOf({ baseline, candidate }: Arms): number {
  return sequentialRuns(baseline.moments.n, candidate.moments.n)
}

/**
 * Compares the mean of a metric that is never negative between two arms; `before` are the same arms while all ran the
 * baseline. Nothing is claimed with fewer than 10 buckets to an arm.
 */
export function compareArmMeans(arms: Arms, options: CompareOptions = {}, before?: Arms): MetricStatistics {
  const settings = settingsOf({ ...options, clusters: 'units' }, 0.1)
  return reportMeans(arms.baseline, arms.candidate, settings, armMeans(arms, settings, before))
}

function armMeans(measured: Arms, settings: Settings, before: Arms | undefined): MetricChange {
  const [ofB, ofC] = [measured.baseline.moments, measured.candidate.moments]
  const [b, c] = bothSpread(ofB, ofC, atLeastByTwo)
  const arms = {
    baseline: { ...measured.baseline, moments: b },
    candidate: { ...measured.candidate, moments: c },
  }
  if (!hasBuckets(arms)) {
    return {
      difference: withoutBounds(c.mean - b.mean),
      relative_change: b.mean > 0 ? withoutBounds(c.mean / b.mean - 1) : null,
      ...nothingProvable(settings),
      design_effect: null,
    }
  }
  const variances = armVariances(arms)
  const independent = varianceOf(b) / b.n + varianceOf(c) / c.n
  const design_effect = independent === 0 ? 1 : (variances.baseline + variances.candidate) / independent
  const adjusted =
    before !== undefined && hasBuckets(before) ? adjustedChange(arms, before, settings) : undefined
  if (adjusted !== undefined) {
    const { relative_change: change, standard_error, df } = adjusted
    const unadjusted = variances.baseline / b.mean ** 2 + variances.candidate / c.mean ** 2
    const left = unadjusted === 0 ? 1 : standard_error ** 2 / unadjusted
    const variancesLeft = {
      baseline: left * variances.baseline,
      candidate: left * variances.candidate,
      covariance: 0,
      df,
      df_ratio: df,
    }
    const inUnit = (share: number | null): number | null => (share === null ? null : b.mean * share)
    return {
      difference: {
        estimate: b.mean * change.estimate,
        low: inUnit(change.low),
        high: inUnit(change.high),
      },
      relative_change: change,
      design_effect,
      ...meanProvable(
        ofB,
        ofC,
        { variances: variancesLeft, design_effect: left * design_effect },
        settings,
        atLeastByTwo,
      ),
    }
  }
  const factor = (df: number): number => factorFor(settings, runsOf(arms), df)
  return {
    difference: meanDifference(b.mean, c.mean, variances, factor(variances.df)),
    relative_change: relativeChange(b.mean, c.mean, variances, factor(variances.df_ratio)) ?? null,
    design_effect,
    ...meanProvable(ofB, ofC, { variances, design_effect }, settings, atLeastByTwo),
  }
}

/** Whether both arms have enough buckets for a claim. */
export function hasBuckets({ baseline, candidate }: Arms): boolean {
  return Math.min(effectiveNumber(baseline), effectiveNumber(candidate)) >= LEAST_BUCKETS
}

/** Compares a rate between two arms, from samples of 0 and 1: Newcombe's interval on as many runs as they are worth. */
export function compareArmRates(arms: Arms, options: CompareOptions = {}): MetricStatistics {
  const settings = settingsOf({ ...options, clusters: 'units' }, 0.02)
  return reportRates(arms.baseline, arms.candidate, settings, armRates(arms, settings))
}

function armRates(arms: Arms, settings: Settings): MetricChange {
  const { baseline, candidate } = arms
  if (!hasBuckets(arms)) {
    return {
      difference: withoutBounds(candidate.moments.mean - baseline.moments.mean),
      relative_change: null,
      ...nothingProvable(settings),
      design_effect: null,
    }
  }
  const { counted, designEffect, df, difference, relative_change } = armRateIntervals(arms, settings)
  return {
    difference,
    relative_change: relative_change ?? null,
    design_effect: designEffect,
    ...rateProvable(...counted, designEffect, df, settings),
  }
}

/** What the rates of two arms differ by; shares of runs are fine. */
export function armRateIntervals(arms: Arms, interval: IntervalKind) {
  const { designEffect, df } = rateEffect(arms)
  const count = ({ moments: { n, mean } }: Sample): Count =>
    deflated({ events: mean * n, runs: n }, designEffect)
  const counted = [count(arms.baseline), count(arms.candidate)] as const
  const factor = factorFor(interval, runsOf(arms), df)
  return {
    counted,
    designEffect,
    df,
    ...rateIntervals(...counted, { factor, df, sequential: interval.sequential }),
  }
}

/** How many times the variance of independent runs that of the difference of two rates is, and what is known of it. */
function rateEffect(arms: Arms): { readonly designEffect: number; readonly df: number } {
  const rates = [arms.baseline.moments, arms.candidate.moments]
  const independent = rates.reduce((sum, { n, mean }) => sum + (mean * (1 - mean)) / n, 0)
  const clustered = sumOfSquares(influences(arms.baseline)) + sumOfSquares(influences(arms.candidate))
  if (independent === 0 || clustered <= independent) return { designEffect: 1, df: Infinity }
  const fewest = Math.min(effectiveNumber(arms.baseline), effectiveNumber(arms.candidate))
  return {
    designEffect: clustered / independent,
    df: (clustered / (clustered - independent)) ** 2 * (fewest - 1),
  }
}
