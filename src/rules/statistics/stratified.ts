import {
  type Estimate,
  type IntervalKind,
  changeByLogarithm,
  factorFor,
  meanDifference,
  relativeChange,
} from './intervals.ts'
import { type Count, deflated, rateIntervals, rateOf } from './rates.ts'
import { type ClusterSum, type Moments, NO_MOMENTS, mergeMoments, varianceOf } from './samples.ts'
import { type Moved, movedIn } from './moved.ts'
import type { MeanVariances } from './variances.ts'

/** The same block of time, or the same segment, on both sides. */
export interface Pair<T> {
  readonly baseline: T
  readonly candidate: T
}

/** A pair, and where it is known what its values belong to, say sessions: the sums of each of these. */
export interface ClusteredPair<T> extends Pair<T> {
  readonly members?: Pair<ReadonlyMap<string, ClusterSum>> | undefined
}

/** How much of two samples is compared. */
export interface Overlap {
  /** As many units of equal weight would say as much: W² / Σ w_u². 0 where nothing is shared. */
  readonly effective_units: number
  /** Runs in pairs that count. */
  readonly baseline_runs: number
  readonly candidate_runs: number
  /** Share of each side's runs that count. */
  readonly baseline_share: number
  readonly candidate_share: number
}

/** Two means over what both sides share, weighted alike. */
export interface Matched {
  readonly overlap: Overlap
  readonly baseline_mean: number
  readonly candidate_mean: number
  readonly difference: Estimate
  /** Undefined where the baseline's mean isn't positive. */
  readonly relative_change: Estimate | undefined
  /** Of both means, as the ratio counts them. */
  readonly variances: MeanVariances
  /**
   * How many times the variance of independent runs the variance of the difference is; at least 1. Null where values
   * within the pairs don't vary and pairs do.
   */
  readonly design_effect: number | null
  /** Degrees of freedom of the difference and of the ratio. */
  readonly df: number
  readonly df_ratio: number
  /** The part of the time that makes most of the spread, where one does; undefined of segments. */
  readonly moved?: Moved | undefined
}

/** Units of time in which the blocks are gathered, so that neighbours that hang together are one. */
const MOST_UNITS = 12

/** How pairs form units: blocks in the order of time, up to 12 units of equal weight; or each segment by itself. */
export type UnitKind = 'time' | 'segments'

/**
 * The difference of two means by overlap weights w = n_b·n_c/(n_b + n_c) over pairs with values on each side
 * (Li, Morgan & Zaslavsky 2018). Of several variances the largest one of the difference counts: that of independent values
 * within the pairs; that between units, which holds what differs by the hour; and that between clusters, where they are
 * known. Undefined where no two units share anything; without bounds where a side has fewer than two clusters.
 */
export function matchedMeans(
  pairs: readonly ClusteredPair<Moments>[],
  units: UnitKind,
  interval: IntervalKind,
): Matched | undefined {
  const weighed = weigh(pairs, ({ n }) => n, units)
  if (weighed === undefined) return undefined
  const [b, c] = [meanOver(weighed, 'baseline', mean), meanOver(weighed, 'candidate', mean)]
  const clusters = varianceOfClusters(weighed, mean)
  const spread = {
    within: varianceWithin(weighed),
    between: varianceBetween(weighed, b, c, mean),
    units: weighed.overlap.effective_units,
    clusters: clusters === 'too_few' ? undefined : clusters,
  }
  const sequentialRuns = 4 * weighed.weight
  const ofRuns = spread.within.baseline + spread.within.candidate
  const leastSpread = Math.max(ofRuns, spread.clusters === undefined ? 0 : differenceOf(spread.clusters, 1))
  const ofDifference = counting(spread, 1)
  const ofRatio = b > 0 ? counting(spread, c / b) : ofDifference
  const factor = (df: number): number => factorFor(interval, sequentialRuns, df)
  const isFew = hasFewValues(weighed, 'baseline') || hasFewValues(weighed, 'candidate')
  const bounded = (): Pick<Matched, 'difference' | 'relative_change'> =>
    isFew && b > 0 && c > 0
      ? changeByLogarithm(b, c, ofRatio.variances, factor(ofRatio.df))
      : {
          difference: meanDifference(b, c, ofDifference.variances, factor(ofDifference.df)),
          relative_change: relativeChange(b, c, ofRatio.variances, factor(ofRatio.df)),
        }
  const change =
    clusters === 'too_few'
      ? {
          difference: withoutBounds(c - b),
          relative_change: b > 0 ? withoutBounds(c / b - 1) : undefined,
        }
      : bounded()
  return {
    overlap: weighed.overlap,
    baseline_mean: b,
    candidate_mean: c,
    ...change,
    variances: ofRatio.variances,
    design_effect: ofDifference.designEffect,
    moved: units === 'time' ? movedOf(weighed, mean, leastSpread) : undefined,
    df: ofDifference.df,
    df_ratio: ofRatio.df,
  }
}

/** The difference of two rates in the same way, with Newcombe's interval on as many runs as the weights are worth. */
export function matchedRates(
  pairs: readonly ClusteredPair<Count>[],
  units: UnitKind,
  interval: IntervalKind,
): (Matched & { readonly counted: Pair<Count>; readonly design_effect: number }) | undefined {
  const weighed = weigh(pairs, ({ runs }) => runs, units)
  if (weighed === undefined) return undefined
  const [b, c] = [meanOver(weighed, 'baseline', rateOf), meanOver(weighed, 'candidate', rateOf)]
  const runs = { baseline: worthOf(weighed, 'baseline'), candidate: worthOf(weighed, 'candidate') }
  const independent = (b * (1 - b)) / runs.baseline + (c * (1 - c)) / runs.candidate
  const between = varianceBetween(weighed, b, c, rateOf)
  const ofUnits = differenceOf(between, 1)
  const clusters = varianceOfClusters(weighed, rateOf)
  const ofClusters = clusters === undefined || clusters === 'too_few' ? 0 : differenceOf(clusters, 1)
  const designEffect = independent === 0 ? 1 : Math.max(1, ofUnits / independent, ofClusters / independent)
  const k = weighed.overlap.effective_units
  const df =
    designEffect === 1
      ? Infinity
      : ofClusters > ofUnits
        ? (clusters as ClusteredVariance).df
        : (ofUnits / (ofUnits - independent)) ** 2 * (k - 1)
  const counted = {
    baseline: deflated({ events: b * runs.baseline, runs: runs.baseline }, designEffect),
    candidate: deflated({ events: c * runs.candidate, runs: runs.candidate }, designEffect),
  }
  return {
    overlap: weighed.overlap,
    counted,
    baseline_mean: b,
    candidate_mean: c,
    ...rateIntervals(counted.baseline, counted.candidate, {
      factor: factorFor(interval, 4 * weighed.weight, df),
      df,
      sequential: interval.sequential,
    }),
    ...(clusters === 'too_few' ? { difference: withoutBounds(c - b), relative_change: undefined } : {}),
    design_effect: designEffect,
    moved: units === 'time' ? movedOf(weighed, rateOf, Math.max(independent, ofClusters)) : undefined,
    df,
    df_ratio: df,
  }
}

function movedOf<T>({ pairs }: Weighed<T>, value: (own: T) => number, variance: number): Moved | undefined {
  return movedIn(
    pairs.map(({ block, weight, baseline, candidate }) => ({
      block,
      weight,
      baseline: value(baseline),
      candidate: value(candidate),
    })),
    variance,
  )
}

function withoutBounds(estimate: number): Estimate {
  return { estimate, low: null, high: null }
}

const mean = (moments: Moments): number => moments.mean

interface Weighed<T> {
  /** Pairs that count, with their weights and units. */
  readonly pairs: readonly (ClusteredPair<T> & {
    readonly block: number
    readonly weight: number
    readonly unit: number
  })[]
  readonly weight: number
  readonly unitWeights: readonly number[]
  readonly overlap: Overlap
  readonly runsOf: (own: T) => number
}

/** Pairs with values on each side, and how much of both sides they are. */
export function overlapOf<T>(
  pairs: readonly ClusteredPair<T>[],
  runsOf: (own: T) => number,
): Omit<Overlap, 'effective_units'> & { readonly shared: readonly ClusteredPair<T>[] } {
  const shared = pairs.filter(({ baseline, candidate }) => runsOf(baseline) >= 1 && runsOf(candidate) >= 1)
  const runs = (of: readonly Pair<T>[], side: keyof Pair<T>): number =>
    sum(of.map(pair => runsOf(pair[side])))
  const [b, c] = [runs(shared, 'baseline'), runs(shared, 'candidate')]
  return {
    shared,
    baseline_runs: b,
    candidate_runs: c,
    baseline_share: b === 0 ? 0 : b / runs(pairs, 'baseline'),
    candidate_share: c === 0 ? 0 : c / runs(pairs, 'candidate'),
  }
}

function weigh<T>(
  pairs: readonly ClusteredPair<T>[],
  runsOf: (own: T) => number,
  units: UnitKind,
): Weighed<T> | undefined {
  const { shared, ...overlap } = overlapOf(pairs, runsOf)
  const weights = shared.map(({ baseline, candidate }) => overlapWeight(runsOf(baseline), runsOf(candidate)))
  const gathered = units === 'time' ? unitsOf(weights) : weights.map((_weight, index) => index)
  const unitWeights: number[] = []
  for (const [index, unit] of gathered.entries())
    unitWeights[unit] = (unitWeights[unit] ?? 0) + weights[index]!
  const filled = unitWeights.filter(own => own > 0)
  if (filled.length < 2) return undefined
  const weight = sum(weights)
  const effective_units = (weight * weight) / sum(filled.map(own => own * own))
  let block = 0
  const weighed = shared.map((pair, index) => {
    // They are in the order of the pairs, so the search goes on from the one before.
    block = pairs.indexOf(pair, block)
    return { ...pair, block, weight: weights[index]!, unit: gathered[index]! }
  })
  return { pairs: weighed, weight, unitWeights, runsOf, overlap: { effective_units, ...overlap } }
}

function meanOver<T>({ pairs, weight }: Weighed<T>, side: keyof Pair<T>, value: (own: T) => number): number {
  return sum(pairs.map(pair => pair.weight * value(pair[side]))) / weight
}

/** Runs that the weights are worth: W² / Σ(w²/n). */
function worthOf<T>({ pairs, weight, runsOf }: Weighed<T>, side: keyof Pair<T>): number {
  return (weight * weight) / sum(pairs.map(pair => (pair.weight * pair.weight) / runsOf(pair[side])))
}

/** Variances of both means where values are independent, and Σ term²/(n − 1) of each. */
interface Within {
  readonly baseline: number
  readonly candidate: number
  readonly baselineSpread: number
  readonly candidateSpread: number
}

/**
 * Values per pair below which those of a side are few: they vary as all of them do, since a pair's own say next to nothing, and
 * a change is bounded by its logarithm, since of few skewed values a low mean comes with a small variance.
 */
export const FEW_VALUES = 4
/** How many times as uncertain as of normal values the variance of few is: as of those with a kurtosis of 5. */
const FEW_VALUES_UNCERTAINTY = 2

function hasFewValues({ pairs, overlap }: Weighed<Moments>, side: keyof Pair<Moments>): boolean {
  return overlap[`${side}_runs`] < FEW_VALUES * pairs.length
}

function varianceWithin(weighed: Weighed<Moments>): Within {
  const { pairs, weight } = weighed
  const of = (side: keyof Pair<Moments>): readonly [variance: number, spread: number] => {
    if (hasFewValues(weighed, side)) {
      const all = pairs.map(pair => pair[side]).reduce(mergeMoments, NO_MOMENTS)
      const variance = varianceOf(all) / worthOf(weighed, side)
      return [variance, all.n < 2 ? 0 : (FEW_VALUES_UNCERTAINTY * variance * variance) / (all.n - 1)]
    }
    const single = varianceOfSingles(pairs.map(pair => pair[side]))
    let [variance, spread] = [0, 0]
    for (const pair of pairs) {
      const { n } = pair[side]
      const own = n < 2 ? single : { variance: pair[side].m2 / (n - 1), df: n - 1 }
      const term = ((pair.weight / weight) ** 2 * own.variance) / n
      variance += term
      spread += own.df === 0 ? 0 : (term * term) / own.df
    }
    return [variance, spread]
  }
  const [baseline, baselineSpread] = of('baseline')
  const [candidate, candidateSpread] = of('candidate')
  return { baseline, candidate, baselineSpread, candidateSpread }
}

/** How much the value of a pair with a single one varies: as values do within the others, or without such as all do. */
function varianceOfSingles(all: readonly Moments[]): { readonly variance: number; readonly df: number } {
  const df = sum(all.map(({ n }) => n - 1))
  if (df > 0) return { variance: sum(all.map(({ m2 }) => m2)) / df, df }
  return { variance: varianceOf(all.reduce(mergeMoments, NO_MOMENTS)), df: all.length - 1 }
}

type Between = Pick<MeanVariances, 'baseline' | 'candidate' | 'covariance'>

/** The delete-one jackknife over units (Cameron & Miller 2015). */
function varianceBetween<T>(
  { pairs, weight, unitWeights }: Weighed<T>,
  b: number,
  c: number,
  value: (own: T) => number,
): Between {
  const influences = unitWeights.map(() => ({ baseline: 0, candidate: 0 }))
  for (const pair of pairs) {
    const own = influences[pair.unit]!
    const share = pair.weight / (weight - unitWeights[pair.unit]!)
    own.baseline += share * (value(pair.baseline) - b)
    own.candidate += share * (value(pair.candidate) - c)
  }
  let [baseline, candidate, covariance] = [0, 0, 0]
  for (const own of influences.filter(influence => influence !== undefined)) {
    baseline += own.baseline * own.baseline
    candidate += own.candidate * own.candidate
    covariance += own.baseline * own.candidate
  }
  return { baseline, candidate, covariance }
}

interface ClusteredVariance extends Between {
  readonly df: number
}

/** Fewest clusters of a side that say how much they differ. */
const LEAST_CLUSTERS = 2

/**
 * The same over clusters, which may reach over pairs: what a mean changes by without each of them. Degrees of freedom count
 * clusters, as unequal as they are. Undefined where pairs don't tell their clusters.
 */
function varianceOfClusters<T>(
  { pairs, weight, runsOf }: Weighed<T>,
  value: (own: T) => number,
): ClusteredVariance | 'too_few' | undefined {
  if (pairs.some(({ members }) => members === undefined)) return undefined
  const of = (side: keyof Pair<T>): ClusterInfluences => {
    const clusters = new Map<string, { n: number; influence: number }>()
    let all = 0
    for (const { members, weight: own, ...pair } of pairs) {
      const [n, level] = [runsOf(pair[side]), value(pair[side])]
      all += n
      for (const [key, part] of members![side]) {
        const found = clusters.get(key) ?? { n: 0, influence: 0 }
        found.n += part.n
        found.influence += ((own / weight) * (part.sum - level * part.n)) / n
        clusters.set(key, found)
      }
    }
    const squares = sum([...clusters.values()].map(({ n }) => n * n))
    return { effective: squares === 0 ? 0 : (all * all) / squares, all, clusters }
  }
  const [ofBaseline, ofCandidate] = [of('baseline'), of('candidate')]
  const fewest = Math.min(ofBaseline.effective, ofCandidate.effective)
  if (fewest < LEAST_CLUSTERS) return 'too_few'
  const influenceOf = ({ all, clusters }: ClusterInfluences, key: string): number => {
    const found = clusters.get(key)
    return found === undefined ? 0 : found.influence / (1 - found.n / all)
  }
  let [baseline, candidate, covariance] = [0, 0, 0]
  let isShared = false
  for (const key of new Set([...ofBaseline.clusters.keys(), ...ofCandidate.clusters.keys()])) {
    const [own, other] = [influenceOf(ofBaseline, key), influenceOf(ofCandidate, key)]
    baseline += own * own
    candidate += other * other
    covariance += own * other
    isShared ||= ofBaseline.clusters.has(key) && ofCandidate.clusters.has(key)
  }
  const df = isShared ? fewest - 1 : ofBaseline.effective + ofCandidate.effective - 2
  return { baseline, candidate, covariance, df }
}

interface ClusterInfluences {
  /** As many clusters of equal size would weigh the same. */
  readonly effective: number
  readonly all: number
  readonly clusters: ReadonlyMap<string, { readonly n: number; readonly influence: number }>
}

/** Variance of M_c − ρ·M_b. */
function differenceOf({ baseline, candidate, covariance }: Between, ratio: number): number {
  return candidate - 2 * ratio * covariance + ratio * ratio * baseline
}

interface Spread {
  readonly within: Within
  readonly between: Between
  readonly units: number
  readonly clusters: ClusteredVariance | undefined
}

interface Counting {
  readonly variances: MeanVariances
  readonly df: number
  readonly designEffect: number | null
}

/** The largest variance of M_c − ρ·M_b, with Satterthwaite's degrees of freedom. */
function counting({ within, between, units, clusters }: Spread, ratio: number): Counting {
  const independent = ratio * ratio * within.baseline + within.candidate
  const spread = ratio ** 4 * within.baselineSpread + within.candidateSpread
  const dfWithin = spread === 0 ? Infinity : (independent * independent) / spread
  const clustered = differenceOf(between, ratio)
  const ofClusters = clusters === undefined ? 0 : differenceOf(clusters, ratio)
  const designEffect = (variance: number): number | null =>
    independent === 0 ? null : variance / independent
  if (clusters !== undefined && ofClusters > Math.max(clustered, independent)) {
    const { df } = clusters
    return { variances: { ...clusters, df_ratio: df }, df, designEffect: designEffect(ofClusters) }
  }
  if (clustered <= independent) {
    const { baseline, candidate } = within
    const variances = { baseline, candidate, covariance: 0, df: dfWithin, df_ratio: dfWithin }
    return { variances, df: dfWithin, designEffect: 1 }
  }
  const excess = clustered - independent
  const df =
    (clustered * clustered) / ((independent * independent) / dfWithin + (excess * excess) / (units - 1))
  return { variances: { ...between, df, df_ratio: df }, df, designEffect: designEffect(clustered) }
}

/** What a pair of so many runs weighs; at least one side has some. */
export function overlapWeight(baseline: number, candidate: number): number {
  return (baseline * candidate) / (baseline + candidate)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** As many units of equal weight would say as much, of blocks in the order of time with such weights. */
export function effectiveUnits(weights: readonly number[]): number {
  const units = Array.from({ length: MOST_UNITS }, () => 0)
  for (const [index, unit] of unitsOf(weights).entries()) units[unit]! += weights[index]!
  const total = sum(weights)
  return total === 0 ? 0 : (total * total) / sum(units.map(own => own * own))
}

/** The unit of each of such weights in the order of time: units of equal weight, up to 12 by default. */
export function unitsOf(weights: readonly number[], most = MOST_UNITS): number[] {
  const total = sum(weights)
  let before = 0
  return weights.map(own => {
    const middle = before + own / 2
    before += own
    return total === 0 ? 0 : Math.min(most - 1, Math.floor((most * middle) / total))
  })
}
