import {
  type Estimate,
  type IntervalKind,
  factorAt,
  meanDifference,
  relativeChange,
  studentFactor,
} from './intervals.ts'
import { type Planned, type Provable, meanProvable, nothingProvable, rateProvable } from './plan.ts'
import { type Count, NO_COUNT, addCounts } from './rates.ts'
import {
  type ExpectedMean,
  type SameHours,
  expectedMean,
  sameHoursChange,
  sameHoursRate,
} from './same_hours.ts'
import { DAY_HOURS } from '../../base/time.ts'
import type { Moved } from './moved.ts'
import { type ClusterSum, type Moments, NO_MOMENTS, type Spread, mergeMoments, spreadBy } from './samples.ts'
import {
  type ClusteredPair,
  type Matched,
  type Overlap,
  type Pair,
  type UnitKind,
  matchedMeans,
  matchedRates,
  overlapOf,
} from './stratified.ts'

/**
 * What of two sides is compared, by the numbers of their blocks: those from 0 to `blocks` on both sides; or the hours of
 * the candidate, from `first` to `end`, with the same hours of the days before, of `slots` hours each; or tenants or tasks
 * of parts of the time, which are numbered alike.
 */
export type Match = CommonTime | SameHoursMatch | SegmentMatch

interface CommonTime {
  readonly by: 'common_time'
  readonly blocks: number
}

export interface SegmentMatch {
  readonly by: 'tenant' | 'task'
  readonly blocks: number
  /** Whether enough of the candidate's runs are of names of their own. */
  readonly is_separable: boolean
}

interface SameHoursMatch {
  readonly by: 'same_hours'
  readonly first: number
  readonly end: number
  readonly slots: number
  /** Which days before the candidate's, the last one first, are of its kind. */
  readonly alike: readonly boolean[]
}

/** The block of runs that were under way when the younger side began, or the share of the traffic changed. */
export const UNDER_WAY = -2

/** Values of one side by the number of their block. */
type ByBlock<T> = ReadonlyMap<number, T>

/** Both sides by block, and how they are matched. */
export interface Blocks<T> extends Pair<ByBlock<T>> {
  readonly match: Match
  /** The clusters of each block, where values belong to sessions or tenants. */
  readonly members?: Pair<ByBlock<ReadonlyMap<string, ClusterSum>>>
  /** How many times the variance of independent runs that of such clusters is, on each side; undefined where unknown. */
  readonly design_effects?: Pair<number | undefined>
}

/** Fewest units of time, and share of the candidate's runs, that a difference takes. */
export const LEAST_EFFECTIVE_UNITS = 6
export const LEAST_CANDIDATE_SHARE = 0.5

/** What two sides show over what they share of time. */
export interface Shared {
  readonly overlap: Overlap
  /** Whether that is enough for a claim. */
  readonly isComparable: boolean
  /** Undefined where they share too little for any estimate. */
  readonly found: MatchedMeans | undefined
}

type Means = 'baseline_mean' | 'candidate_mean'

interface MatchedMeans extends Readonly<Record<Means, number>> {
  readonly difference: Estimate
  readonly relative_change: Estimate | null
  readonly design_effect: number | null
  readonly provable: Provable
  readonly moved?: Moved | undefined
  /** Whether days differ by more than their runs explain, so that more runs prove nothing. */
  readonly days_differ?: boolean
}

/** The change of a mean over what both sides share. */
export function sharedMeans(blocks: Blocks<Moments>, planned: Planned, spread: Spread): Shared {
  const { match, members, design_effects } = blocks
  const { baseline, candidate } = spreadBlocks(blocks, spread)
  const sizes = sizesOf(baseline, candidate, ({ n }) => n)
  if (match.by === 'same_hours') {
    const expected = expectedMean(sameHoursOf(baseline, candidate, match, NO_MOMENTS, mergeMoments))
    const found = ofSameHours(expected, sizes, planned, own =>
      meansFound(clustered(own, design_effects), planned),
    )
    return partlySeen(found, unseenShare(blocks))
  }
  const pairs = pairsOf(baseline, candidate, match, NO_MOMENTS, members)
  const matched = matchedMeans(pairs, unitsOf(match), planned)
  if (matched === undefined)
    return nothingFound(
      overlapOf(pairs, ({ n }) => n),
      sizes,
    )
  const measured = pairsOf(blocks.baseline, blocks.candidate, match, NO_MOMENTS, undefined)
  const typical = (side: keyof Pair<unknown>): Moments => ({
    ...measured.map(pair => pair[side]).reduce(mergeMoments, NO_MOMENTS),
    mean: matched[`${side}_mean`],
  })
  const shared = ofPairs(
    matched,
    sizes,
    { match, planned },
    meanProvable(typical('baseline'), typical('candidate'), matched, planned, spread),
  )
  return partlySeen(shared, unseenShare(blocks))
}

/** The blocks of both sides, whose values spread as those that are compared do. */
function spreadBlocks(
  { baseline, candidate, match }: Blocks<Moments>,
  spread: Spread,
): Pair<ByBlock<Moments>> {
  const end = match.by === 'same_hours' ? match.end : match.blocks
  const compared = (side: ByBlock<Moments>): Moments => {
    let all = NO_MOMENTS
    for (const [block, own] of side) if (block >= 0 && block < end) all = mergeMoments(all, own)
    return all
  }
  const [b, c] = [compared(baseline), compared(candidate)]
  const by = (side: ByBlock<Moments>, each: number): ByBlock<Moments> =>
    each === 0 ? side : new Map(Array.from(side, ([block, own]) => [block, spreadBy(own, each)]))
  return { baseline: by(baseline, spread(b, c)), candidate: by(candidate, spread(c, b)) }
}

/** Most of the sum of a metric that may be of runs which were under way at a moment. */
const MOST_UNSEEN = 0.6

/**
 * The share of the sum of a metric, over the time in which both ran, that is of runs which were under way at a
 * moment, on the side that has more of it: as much is missing of those that began since and are not over.
 */
function unseenShare({ baseline, candidate, match }: Blocks<Moments>): number {
  const end = match.by === 'same_hours' ? match.end : match.blocks
  const of = (side: ByBlock<Moments>): number => {
    let [seen, left] = [0, 0]
    for (const [block, { n, mean }] of side) {
      if (block === UNDER_WAY) left += n * mean
      else if (block >= 0 && block < end) seen += n * mean
    }
    return left === 0 ? 0 : left / (seen + left)
  }
  return Math.max(of(baseline), of(candidate))
}

/**
 * Runs that last long are seen too seldom on both sides, so a change shows smaller than it is: bounds go as much further from
 * 0 as is unseen. With little seen there is no claim.
 */
function partlySeen(shared: Shared, unseen: number): Shared {
  const { found } = shared
  if (unseen === 0) return shared
  const beyond = (bound: number | null, isOut: boolean): number | null =>
    bound !== null && isOut ? bound / (1 - unseen) : bound
  const widened = ({ estimate, low, high }: Estimate): Estimate => ({
    estimate,
    low: beyond(low, low! < 0),
    high: beyond(high, high! > 0),
  })
  return {
    ...shared,
    isComparable: shared.isComparable && unseen <= MOST_UNSEEN,
    found: found && {
      ...found,
      difference: widened(found.difference),
      relative_change: found.relative_change && widened(found.relative_change),
    },
  }
}

/** The change of a rate over what both sides share. */
export function sharedRates(blocks: Blocks<Count>, planned: Planned): Shared {
  const { baseline, candidate, match, members, design_effects } = blocks
  const sizes = sizesOf(baseline, candidate, ({ runs }) => runs)
  if (match.by === 'same_hours') {
    const hours = sameHoursOf(baseline, candidate, match, NO_COUNT, addCounts)
    const found = sameHoursRate(hours, planned, design_effects)
    return ofSameHours(found, sizes, planned, ({ difference, ...rates }) => ({
      ...rates,
      difference,
      relative_change: null,
    }))
  }
  const pairs = pairsOf(baseline, candidate, match, NO_COUNT, members)
  const matched = matchedRates(pairs, unitsOf(match), planned)
  if (matched === undefined)
    return nothingFound(
      overlapOf(pairs, ({ runs }) => runs),
      sizes,
    )
  const { counted, design_effect, df } = matched
  const provable = rateProvable(counted.baseline, counted.candidate, design_effect, df, planned)
  return ofPairs(matched, sizes, { match, planned }, provable)
}

/** Variances of the means, of runs that depend on each other within sessions or tenants. */
function clustered(expected: ExpectedMean, effects: Blocks<unknown>['design_effects']): ExpectedMean {
  return {
    ...expected,
    baseline_variance: expected.baseline_variance * (effects?.baseline ?? 1),
    candidate_variance: expected.candidate_variance * (effects?.candidate ?? 1),
  }
}

function meansFound(expected: ExpectedMean, interval: IntervalKind) {
  const { baseline_mean, candidate_mean } = expected
  if (!(baseline_mean > 0) || !(candidate_mean > 0)) return meansWithZero(expected, interval)
  const change = sameHoursChange(expected, interval)
  return {
    baseline_mean,
    candidate_mean,
    days_differ: daysDiffer(expected),
    difference: {
      estimate: candidate_mean - baseline_mean,
      low: baseline_mean * change.low!,
      high: baseline_mean * change.high!,
    },
    relative_change: change,
  }
}

function daysDiffer(expected: ExpectedMean): boolean {
  const { baseline_mean, days, true_day_variance, baseline_variance, candidate_variance } = expected
  const ofDays = true_day_variance * baseline_mean ** 2 * (1 + 1 / days)
  return ofDays > baseline_variance + candidate_variance
}

/** The same where a mean is 0, which has no logarithm: the larger factor counts for runs and days. */
function meansWithZero(expected: ExpectedMean, interval: IntervalKind) {
  const { baseline_mean, candidate_mean, baseline_runs, candidate_runs, days } = expected
  const ofDays = expected.day_variance * baseline_mean ** 2 * (1 + 1 / days)
  const [baseline, candidate] = [expected.baseline_variance + ofDays, expected.candidate_variance]
  const variances = { baseline, candidate, covariance: 0, df: days - 1, df_ratio: days - 1 }
  const ofRuns = factorAt(interval, baseline_runs, candidate_runs, Infinity)
  const factor = Math.max(ofRuns, studentFactor(days - 1, interval.alpha))
  const difference = meanDifference(baseline_mean, candidate_mean, variances, factor)
  const change = relativeChange(baseline_mean, candidate_mean, variances, factor)
  return { baseline_mean, candidate_mean, difference, relative_change: change ?? null }
}

function unitsOf({ by }: CommonTime | SegmentMatch): UnitKind {
  return by === 'common_time' ? 'time' : 'segments'
}

function ofPairs(
  matched: Matched,
  sizes: Sizes,
  { match, planned }: { readonly match: CommonTime | SegmentMatch; readonly planned: Planned },
  provable: Provable,
): Shared {
  const overlap = { ...matched.overlap, ...sharesOf(matched.overlap, sizes) }
  return {
    overlap,
    isComparable: isComparable(overlap, planned) && (match.by === 'common_time' || match.is_separable),
    found: { ...matched, relative_change: matched.relative_change ?? null, provable },
  }
}

/** Whether two sides share enough for a claim. */
export function isComparable(
  { effective_units, candidate_share, baseline_runs, candidate_runs }: Omit<Overlap, 'baseline_share'>,
  { min_runs }: Pick<Planned, 'min_runs'>,
): boolean {
  return (
    effective_units >= LEAST_EFFECTIVE_UNITS &&
    candidate_share >= LEAST_CANDIDATE_SHARE &&
    Math.min(baseline_runs, candidate_runs) >= min_runs
  )
}

function ofSameHours<T extends Pick<ExpectedMean, 'days' | 'baseline_runs' | 'candidate_runs'>>(
  expected: T | undefined,
  sizes: Sizes,
  planned: Planned,
  foundOf: (
    expected: T,
  ) => Pick<MatchedMeans, Means | 'difference' | 'relative_change' | 'days_differ'> | undefined,
): Shared {
  const found = expected && foundOf(expected)
  if (expected === undefined || found === undefined) return nothingFound(NOTHING_SHARED, sizes)
  const { days, ...runs } = expected
  return {
    overlap: { effective_units: days, ...runs, ...sharesOf(runs, sizes) },
    isComparable: Math.min(runs.baseline_runs, runs.candidate_runs) >= planned.min_runs,
    // More runs of these days make no more days.
    found: { ...found, design_effect: null, provable: nothingProvable(planned) },
  }
}

function nothingFound(overlap: Pick<Overlap, 'baseline_runs' | 'candidate_runs'>, sizes: Sizes): Shared {
  const { baseline_runs, candidate_runs } = overlap
  return {
    overlap: { effective_units: 0, baseline_runs, candidate_runs, ...sharesOf(overlap, sizes) },
    isComparable: false,
    found: undefined,
  }
}

const NOTHING_SHARED = { baseline_runs: 0, candidate_runs: 0 }

/** Runs of each side in the whole window. */
interface Sizes {
  readonly baseline: number
  readonly candidate: number
}

function sizesOf<T>(baseline: ByBlock<T>, candidate: ByBlock<T>, runsOf: (own: T) => number): Sizes {
  const of = (side: ByBlock<T>): number => [...side.values()].reduce((sum, own) => sum + runsOf(own), 0)
  return { baseline: of(baseline), candidate: of(candidate) }
}

function sharesOf(
  { baseline_runs, candidate_runs }: Pick<Overlap, 'baseline_runs' | 'candidate_runs'>,
  { baseline, candidate }: Sizes,
): Pick<Overlap, 'baseline_share' | 'candidate_share'> {
  return {
    baseline_share: baseline === 0 ? 0 : baseline_runs / baseline,
    candidate_share: candidate === 0 ? 0 : candidate_runs / candidate,
  }
}

function pairsOf<T>(
  baseline: ByBlock<T>,
  candidate: ByBlock<T>,
  { blocks }: { readonly blocks: number },
  nothing: T,
  members: Blocks<T>['members'],
): ClusteredPair<T>[] {
  return Array.from({ length: blocks }, (_, block) => ({
    baseline: baseline.get(block) ?? nothing,
    candidate: candidate.get(block) ?? nothing,
    members: members && {
      baseline: members.baseline.get(block) ?? NO_CLUSTERS,
      candidate: members.candidate.get(block) ?? NO_CLUSTERS,
    },
  }))
}

const NO_CLUSTERS: ReadonlyMap<string, ClusterSum> = new Map()

function sameHoursOf<T>(
  baseline: ByBlock<T>,
  candidate: ByBlock<T>,
  { first, end, slots, alike }: SameHoursMatch,
  nothing: T,
  merge: (a: T, b: T) => T,
): SameHours<T> {
  const own = Array.from({ length: slots }, () => nothing)
  for (let hour = first; hour < end; hour++) {
    const slot = (hour - first) % DAY_HOURS
    own[slot] = merge(own[slot]!, candidate.get(hour) ?? nothing)
  }
  const days = Array.from({ length: Math.ceil(first / DAY_HOURS) }, (_, index) => {
    const start = first - (index + 1) * DAY_HOURS
    return own.map((_slot, slot) => (start + slot < 0 ? nothing : (baseline.get(start + slot) ?? nothing)))
  })
  return { days, candidate: own, alike }
}
