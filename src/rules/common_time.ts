import { DAY_HOURS, DAY_MS, HOUR_MS, MINUTE_MS } from '../base/time.ts'
import { LEAST_CANDIDATE_SHARE, LEAST_EFFECTIVE_UNITS, type Match } from './statistics/match.ts'
import { LEAST_DAYS, LEAST_DAY_RUNS, daysAlike } from './statistics/same_hours.ts'
import { effectiveUnits, overlapWeight } from './statistics/stratified.ts'
import { BLOCKS, type Range, type Window, windowCovering } from './window.ts'
import { hoursText, lastedText, littleOf } from '../base/text.ts'
import { type SharedTime, isTooShort, neededHours, timesText } from './cause_words.ts'
import type { Sums } from './rollup.ts'
import { LEAST_SHARED, type MetricStatistics, comparabilityDoubt } from './statistics/metric.ts'
import { type Clusters, LEAST_BLOCKS } from './statistics/variances.ts'

/** Runs of a release in one bucket of the UTC clock: the bucket's number since the epoch. */
export interface BucketRuns {
  readonly bucket: number
  readonly runs: number
}

/** The same with how long they took: the sums of latencies, ms, and of their squares. */
export interface BucketSums extends BucketRuns {
  readonly latency_sum: number
  readonly latency_sq: number
}

/** A part of a window in blocks of the UTC clock, epoch ms. */
export interface Cut {
  readonly from: number
  readonly to: number
  readonly width_ms: number
  /** One or more whole minutes at which its blocks from 1 on begin, in their order, in place of those of one width. */
  readonly starts?: readonly number[]
  /** Runs that were under way then are in none of the blocks; undefined where that would change nothing. */
  readonly moments?: Moments | undefined
}

/** When a release began to run, or its share of the traffic changed: epoch ms, in their order. */
export interface Moments {
  readonly at: readonly number[]
  /** How long after each all runs that were under way are over, ms; undefined where that is not known. */
  readonly over_ms?: number
}

/** How two releases are compared over what they share of a window. */
export interface TimePlan {
  readonly cut: Cut
  readonly match: Match
  /** Whole hours in which both ran, as numbers since the epoch. */
  readonly hours: Range
  /** What was new at the last of the moments of the cut. */
  readonly since?: 'began' | 'share_changed'
}

/** Width of the buckets, ms, in which runs are counted to choose how a window is compared. */
export function countWidthOf({ since, until }: Window): number {
  return until - since < DAY_MS ? MINUTE_MS : HOUR_MS
}

/** Share of the smaller side's runs that is left out at the start of the time in which both ran: early ones do not stretch it. */
export const DROPPED_SHARE = 0.005

/** Widths of blocks, in minutes. Each divides the next wider ones down to the day, so blocks begin with the UTC day. */
const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1440] as const
const MOST_BLOCKS = 48
const FEWEST_BLOCKS = 12
/** Runs of a side below which many blocks hold none. */
export const LEAST_BLOCK_RUNS = 2 * FEWEST_BLOCKS
/** Runs of the smaller side that a block is worth. */
const RUNS_PER_BLOCK = 4
/** Share of what the runs of both sides weigh in wider blocks that narrower ones must keep. */
const LEAST_KEPT = 0.75

/** Earlier days that are looked at. */
const MOST_DAYS = 35

/**
 * Chooses from counts of runs, never from values, how two sides are compared: over the blocks of time in which both ran;
 * else with the same hours of at least four earlier days; else not at all. `widthMs` is that of the counted buckets, and
 * `began` when the younger side began to run, where that is not long ago.
 */
export function timePlan(
  baseline: readonly BucketRuns[],
  candidate: readonly BucketRuns[],
  window: Window,
  widthMs: number,
  began?: number,
): TimePlan {
  const shared = began === undefined ? window : { ...window, since: Math.max(window.since, minuteOf(began)) }
  const common = commonTime(baseline, candidate, { shared, since: window.since }, widthMs)
  const hours = common === undefined ? NO_HOURS : wholeHours(common.plan.cut, window)
  if (common?.isEnough === true) return { ...common.plan, hours }
  const c = timeOf(candidate, widthMs, shared)
  const earlier = widthMs === HOUR_MS && c !== undefined ? sameHours(baseline, c, window) : undefined
  const found = earlier ??
    common?.plan ?? {
      cut: { from: window.since, to: window.since, width_ms: DAY_MS },
      match: { by: 'common_time', blocks: 0 } as const,
    }
  return { ...found, hours }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

const NO_HOURS: Range = { from: 0, to: 0 }

/** The plan of a window for a later one as long, where its runs go on as they did: ends of the time that are those of the window move. */
export function movedPlan(plan: TimePlan, was: Window, now: Window): TimePlan {
  const cut = {
    ...plan.cut,
    from: plan.cut.from === was.since ? now.since : plan.cut.from,
    to: plan.cut.to === was.until ? now.until : plan.cut.to,
  }
  return { ...plan, cut, hours: plan.hours === NO_HOURS ? NO_HOURS : wholeHours(cut, now) }
}

export function isSamePlan(one: TimePlan, other: TimePlan): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whole hours of the window that a part of it touches. */
function wholeHours({ from, to }: Cut, { since, until }: Window): Range {
  const first = Math.max(Math.floor(from / HOUR_MS), Math.ceil(since / HOUR_MS))
  return { from: first, to: Math.max(first, Math.min(Math.ceil(to / HOUR_MS), Math.floor(until / HOUR_MS))) }
}

/** The time in which a release ran, but for a few early runs; undefined without runs. */
export function timeOf(
  counts: readonly BucketRuns[],
  widthMs: number,
  { since, until }: Window,
): Window | undefined {
  const [first, last] = [reach(counts, totalOf(counts)), counts.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { since: Math.max(since, first * widthMs), until: Math.min(until, (last.bucket + 1) * widthMs) }
}

/** The bucket behind the first 0.5 % of so many runs. */
function reach(counts: readonly BucketRuns[], all: number): number | undefined {
  let before = 0
  for (const { bucket, runs } of counts) {
    before += runs
    if (before > Math.floor(DROPPED_SHARE * all)) return bucket
  }
  return undefined
}

/**
 * The time in which both sides ran, up to their newest runs, but for early ones of the smaller side: what else
 * there is in the window does not change it.
 */
export function sharedSpan(
  baseline: readonly BucketRuns[],
  candidate: readonly BucketRuns[],
  { since, until }: Window,
  widthMs: number,
): Window | undefined {
  if (baseline.length === 0 || candidate.length === 0) return undefined
  const [first, last] = [
    Math.max(baseline[0]!.bucket, candidate[0]!.bucket),
    Math.min(baseline.at(-1)!.bucket, candidate.at(-1)!.bucket),
  ]
  const within = (counts: readonly BucketRuns[]): readonly BucketRuns[] =>
    counts.filter(({ bucket }) => bucket >= first && bucket <= last)
  const [b, c] = [within(baseline), within(candidate)]
  const smaller = totalOf(b) < totalOf(c) ? b : c
  const from = reach(smaller, totalOf(smaller))
  if (from === undefined) return undefined
  return { since: Math.max(since, from * widthMs), until: Math.min(until, (last + 1) * widthMs) }
}

function commonTime(
  baseline: readonly BucketRuns[],
  candidate: readonly BucketRuns[],
  { shared, since }: { readonly shared: Window; readonly since: number },
  widthMs: number,
): { readonly plan: Omit<TimePlan, 'hours'>; readonly isEnough: boolean } | undefined {
  const span = sharedSpan(baseline, candidate, shared, widthMs)
  if (span === undefined) return undefined
  const runs = Math.min(runsWithin(baseline, span, widthMs), runsWithin(candidate, span, widthMs))
  const most = Math.min(MOST_BLOCKS, Math.max(FEWEST_BLOCKS, Math.floor(runs / RUNS_PER_BLOCK)))
  const narrowest = blockWidthOf(span, most)
  const cutBy = (width_ms: number) => {
    // Blocks of hours are summed from hours.
    const from = width_ms < HOUR_MS ? span.since : Math.floor(span.since / HOUR_MS) * HOUR_MS
    const cut = { from: Math.max(since, from), to: span.until, width_ms }
    return { cut, ...sharedIn(spread(baseline, cut, widthMs), spread(candidate, cut, widthMs)) }
  }
  const widths = WIDTHS.map(minutes => minutes * MINUTE_MS)
  const cuts = widths
    .filter(
      width => width === narrowest || (width > narrowest && blocksOf(span, width) >= LEAST_EFFECTIVE_UNITS),
    )
    .map(cutBy)
  const heaviest = Math.max(...cuts.map(({ weight }) => weight))
  const isComparable = ({ weights, candidateRuns }: ReturnType<typeof cutBy>): boolean =>
    effectiveUnits(weights) >= LEAST_EFFECTIVE_UNITS &&
    candidateRuns >= LEAST_CANDIDATE_SHARE * totalOf(candidate)
  const wanted = cuts.find(({ weight }) => weight >= LEAST_KEPT * heaviest)!
  const narrower = widths
    .filter(width => width < narrowest && blocksOf(span, width) <= MOST_BLOCKS)
    .toReversed()
  // Where the traffic has gaps, blocks that hold fewer runs make as many units as it takes.
  const found = isComparable(wanted) ? wanted : (narrower.map(cutBy).find(isComparable) ?? wanted)
  return {
    plan: { cut: found.cut, match: { by: 'common_time', blocks: found.weights.length } },
    isEnough:
      isComparable(found) &&
      // A few runs that were left of a baseline say less than its earlier days.
      found.baselineRuns >= Math.min(found.candidateRuns, LEAST_DAY_RUNS),
  }
}

/** The weight of each block with runs of both sides, and the runs of such blocks. */
function sharedIn(baseline: readonly number[], candidate: readonly number[]) {
  const isShared = (block: number): boolean => Math.min(baseline[block]!, candidate[block]!) >= 1
  const runsOf = (side: readonly number[]): number =>
    side.reduce((sum, own, block) => sum + (isShared(block) ? own : 0), 0)
  const weights = baseline.map((own, block) => (isShared(block) ? overlapWeight(own, candidate[block]!) : 0))
  return {
    weights,
    weight: weights.reduce((sum, own) => sum + own, 0),
    baselineRuns: runsOf(baseline),
    candidateRuns: runsOf(candidate),
  }
}

/** The narrowest blocks, ms, that are wide enough for a span to touch no more than so many; multiples of `stepMs`. */
export function blockWidthOf(span: Window, most = MOST_BLOCKS, stepMs = MINUTE_MS): number {
  const widths = WIDTHS.map(minutes => minutes * MINUTE_MS).filter(width => width % stepMs === 0)
  return widths.find(width => blocksOf(span, width) <= most) ?? DAY_MS
}

/** How many blocks of the UTC clock a span touches. */
export function blocksOf({ since, until }: Window, widthMs: number): number {
  return Math.ceil(until / widthMs) - Math.floor(since / widthMs)
}

export function totalOf(counts: readonly BucketRuns[]): number {
  return counts.reduce((sum, { runs }) => sum + runs, 0)
}

function runsWithin(counts: readonly BucketRuns[], { since, until }: Window, widthMs: number): number {
  return totalOf(counts.filter(({ bucket }) => (bucket + 1) * widthMs > since && bucket * widthMs < until))
}

/** Runs by block; those of a bucket that is wider than a block are spread evenly. */
function spread(counts: readonly BucketRuns[], cut: Cut, widthMs: number): number[] {
  const first = Math.floor(cut.from / cut.width_ms)
  const runs = Array.from({ length: blocksOf({ since: cut.from, until: cut.to }, cut.width_ms) }, () => 0)
  for (const { bucket, runs: own } of counts) {
    const [start, end] = [bucket * widthMs, (bucket + 1) * widthMs]
    if (end <= cut.from || start >= cut.to) continue
    const from = Math.max(0, Math.floor(start / cut.width_ms) - first)
    const to = Math.min(runs.length, Math.max(from + 1, Math.ceil(end / cut.width_ms) - first))
    for (let block = from; block < to; block++) runs[block]! += own / (to - from)
  }
  return runs
}

/** The candidate's hours, folded at a day, on earlier days in which the baseline ran then; undefined below four days. */
function sameHours(
  baseline: readonly BucketRuns[],
  c: Window,
  window: Window,
): Omit<TimePlan, 'hours'> | undefined {
  const [first, end] = [Math.floor(c.since / HOUR_MS), Math.ceil(c.until / HOUR_MS)]
  const slots = Math.min(DAY_HOURS, end - first)
  const from = Math.max(Math.floor(window.since / HOUR_MS), first - MOST_DAYS * DAY_HOURS)
  const days = Math.ceil((first - from) / DAY_HOURS)
  const runs = Array.from({ length: days + 1 }, () => 0)
  for (const { bucket, runs: own } of baseline) {
    if (bucket < from || bucket >= first - DAY_HOURS + slots) continue
    const day = Math.ceil((first - bucket) / DAY_HOURS)
    if (bucket - (first - day * DAY_HOURS) < slots && day >= 1) runs[day]! += own
  }
  if (runs.filter(own => own >= LEAST_DAY_RUNS).length < LEAST_DAYS) return undefined
  const cut = { from: Math.max(window.since, from * HOUR_MS), to: c.until, width_ms: HOUR_MS }
  const alike = daysAlike({ since: first * HOUR_MS, until: end * HOUR_MS }, days)
  return { cut, match: { by: 'same_hours', first: first - from, end: end - from, slots, alike } }
}

/** Sums of one block of time. */
type Aggregate = Pick<Sums, 'runs'> & { readonly block: number }

type ComparedMetric = Pick<
  MetricStatistics,
  'baseline_runs' | 'candidate_runs' | 'min_runs' | 'clusters' | 'comparability_doubt' | 'matched'
>

/**
 * The shorter window, ending where this one does, that begins when both sides ran, where more of the candidate's runs
 * would be comparable in it; else null.
 */
export function sharedWindow(
  candidate: readonly Aggregate[],
  { matched }: Pick<ComparedMetric, 'matched'>,
  plan: TimePlan | undefined,
  { until }: Window,
): string | null {
  if (plan?.match.by !== 'common_time' || matched == null) return null
  if (matched.units < LEAST_EFFECTIVE_UNITS || matched.candidate_share >= LEAST_CANDIDATE_SHARE) return null
  const runsFrom = candidate.reduce((sum, { block, runs }) => sum + (block < 0 ? 0 : runs), 0)
  return matched.candidate_runs >= LEAST_CANDIDATE_SHARE * runsFrom
    ? windowCovering((until - plan.cut.from) / MINUTE_MS)
    : null
}

/**
 * What is missing for a difference over what both sides share of time, and what would mend it; or with what the candidate
 * is compared where they never ran at once. None where a side has too few runs for any difference.
 */
export function timeWarnings(
  { baseline_runs, candidate_runs, min_runs, comparability_doubt, matched }: ComparedMetric,
  { plan, shorter }: { readonly plan: TimePlan; readonly shorter: string | null },
): string[] {
  if (matched == null || Math.min(baseline_runs, candidate_runs) < min_runs) return []
  if (comparability_doubt !== 'not_comparable') {
    return matched.by === 'same_hours'
      ? [
          `both releases did not run at once: the candidate is compared with the same hours of ${matched.units} ` +
            'earlier days of the baseline',
        ]
      : []
  }
  const text =
    timesText(matched, sharedTime(plan)) ??
    `only ${Math.min(matched.baseline_runs, matched.candidate_runs)} runs of a side are of times in which both ran ` +
      `(it takes ${min_runs})`
  return [`${text}, so the time of day may explain a difference: ${mendOf(matched, plan, shorter)}`]
}

/**
 * What is said where the younger release began, or the share of the traffic changed, too short a time ago for how long runs
 * take: errors are compared, cost and latency are not. The mean latency is that of the side with the longer runs.
 */
export function youngWarnings(
  { comparability_doubt, matched, baseline_mean, candidate_mean, ...runs }: ComparedMetric & Means,
  cost: Pick<ComparedMetric, 'comparability_doubt'>,
  errors: Pick<ComparedMetric, 'comparability_doubt'>,
  { cut: { moments }, since }: TimePlan,
  { until }: Window,
): string[] {
  const isEnough = Math.min(runs.baseline_runs, runs.candidate_runs) >= runs.min_runs
  if (moments === undefined || matched == null || !isEnough) return []
  if (comparability_doubt !== 'not_comparable' || errors.comparability_doubt !== null) return []
  const lasts = Math.max(baseline_mean ?? 0, candidate_mean ?? 0) / HOUR_MS
  const ago = lastedText((until - moments.at.at(-1)!) / HOUR_MS)
  const what = cost.comparability_doubt === 'not_comparable' ? 'cost and latency are' : 'latency is'
  return [
    `${what} not comparable yet: runs take ${lastedText(lasts)}, and ` +
      (since === 'share_changed'
        ? `the share of the traffic changed ${ago} ago, so the long runs since are not over`
        : `the younger release began ${ago} ago, so its long runs are not over`),
  ]
}

type Means = Pick<MetricStatistics, 'baseline_mean' | 'candidate_mean'>

function sharedTime({ cut: { from, to, width_ms } }: TimePlan): SharedTime {
  return { hours: (to - from) / HOUR_MS, block_minutes: width_ms / MINUTE_MS }
}

function mendOf(
  matched: NonNullable<ComparedMetric['matched']>,
  plan: TimePlan,
  shorter: string | null,
): string {
  if (shorter !== null) return `choose a window of ${shorter}, in which both ran`
  const shared = sharedTime(plan)
  const isLongerEnough = matched.candidate_share >= LEAST_CANDIDATE_SHARE || isTooShort(matched, shared)
  if (shared.hours > 0 && isLongerEnough) {
    const { lasted, wanted } = neededHours(matched, shared)
    const more = wanted > lasted ? `${hoursText(wanted - lasted)} more` : 'longer'
    return `run both at once for ${more}, or set compare_by: window in the policy for test runs`
  }
  return (
    `run both releases at once, keep ${LEAST_DAYS} days of the baseline before the candidate in the window, or set ` +
    'compare_by: window in the policy for test runs'
  )
}

/**
 * What is missing where the window is compared as it is: a rollback, or the policy says so. It is judged all the same,
 * which it says.
 */
export function overWindowWarnings(
  { baseline_runs, candidate_runs, min_runs, clusters }: ComparedMetric,
  isRollback: boolean,
): string[] {
  if (Math.min(baseline_runs, candidate_runs) < min_runs) return []
  const doubt = comparabilityDoubt(clusters)
  if (doubt === null) return []
  const text = doubt === 'not_comparable' ? fewShared(clusters) : fewBlocks(clusters)
  const why = isRollback ? 'this is a rollback' : 'compare_by is window'
  return [`${text}: ${why}, so its limits are judged over the whole window all the same`]
}

function fewShared({ shared_runs_share }: Clusters): string {
  return `${littleOf(shared_runs_share)} the runs are of times in which both sides ran (it takes ${100 * LEAST_SHARED} %)`
}

function fewBlocks({ baseline, candidate }: Clusters): string {
  const [side, blocks] = baseline < candidate ? ['baseline', baseline] : ['candidate', candidate]
  return (
    `most runs of the ${side} lie in ${Math.max(1, Math.floor(blocks))} of the ${BLOCKS} blocks of time of the window ` +
    `(it takes ${LEAST_BLOCKS})`
  )
}
