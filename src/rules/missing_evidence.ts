import { PERCENTILES } from '../models/limits.ts'
import { count, hoursText } from '../base/text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/time.ts'
import type { DiffStatistics, LimitResult } from '../models/answers/statistics.ts'
import type { MissingEvidence, Policy } from '../models/documents/policy.ts'
import type { ConfidenceLabel } from './evidence.ts'
import type { Thresholds } from './evidence.ts'
import { CHANGE_LIMITS, FURTHER_LIMITS, TAIL_LIMITS, furtherChange, limitValue } from './limits.ts'
import { causeText, isBeyondTraffic } from './cause_words.ts'
import { roundOrNull } from './statistics/intervals.ts'
import { type MetricStatistics, enoughForSkew, isComparabilityDoubt } from './statistics/metric.ts'
import { LEAST_BLOCK_RUNS } from './common_time.ts'
import { leastOfQuantile } from './statistics/sketch.ts'
import { type Window, windowCovering } from './window.ts'

/** A number of each side: runs, or runs per hour. Null where it isn't known. */
export interface OfSides<T = number | null> {
  readonly baseline: T
  readonly candidate: T
}

/** From the first run of a release in a window to behind the last, epoch ms; undefined where that isn't known. */
export type Span = { readonly first: number; readonly last: number } | undefined

/**
 * Runs per hour in the time in which there was traffic: from the first run to the last, and an hour at least, so that a
 * burst is not taken for a rate. Null without runs.
 */
export function runsPerHour(runs: number, span: Span, { since, until }: Window): number | null {
  if (runs === 0) return null
  const lasted = span === undefined ? 0 : Math.min(until, span.last) - Math.max(since, span.first)
  return (runs * HOUR_MS) / Math.max(lasted, Math.min(HOUR_MS, until - since))
}

/** The rate at which further runs come: {@link runsPerHour}, but 0 where none came in the last day. */
export function comingPerHour(runs: number, span: Span, window: Window): number | null {
  const isOver = span !== undefined && span.last <= window.until - DAY_MS
  return isOver && runs > 0 ? 0 : runsPerHour(runs, span, window)
}

/** Hours until both sides have so many more runs; null where that isn't known, or a side that lacks some gets none. */
export function hoursUntil(missing: OfSides, perHour: OfSides): number | null {
  const of = (side: keyof OfSides): number | null => {
    const [runs, rate] = [missing[side], perHour[side]]
    if (runs === 0) return 0
    return runs === null || rate === null || rate === 0 ? null : runs / rate
  }
  const [baseline, candidate] = [of('baseline'), of('candidate')]
  return baseline === null || candidate === null ? null : Math.max(baseline, candidate)
}

/** What a policy found too little evidence in, and how much of it there is. */
export interface Lacking {
  readonly policy: Policy
  readonly thresholds: Thresholds
  readonly label: ConfidenceLabel
  readonly statistics: DiffStatistics
  readonly runs: OfSides<number>
  readonly per_hour: OfSides
  readonly window: Window
  /** The window in which both sides ran, where they ran at other times; see `sharedWindow`. */
  readonly shared: string | null
}

/**
 * How many more runs of each side a policy takes that lacks evidence, for confidence and for each limit that isn't
 * decided: as many as an unchanged release passes with in 80 of 100 cases, the number that `policy advise` names too.
 * Undefined where neither runs nor another window would do.
 */
export function missingEvidence(lacking: Lacking): MissingEvidence | undefined {
  const { runs, per_hour, window, shared } = lacking
  // How many runs it takes of another window is known once it is tried.
  const { wanted, beyond, because } =
    shared === null ? wantedRuns(lacking) : { wanted: undefined, beyond: [], because: [] }
  const missing = (side: keyof OfSides): number | null =>
    wanted === undefined ? null : Math.max(0, wanted[side] - runs[side])
  const both = { baseline: missing('baseline'), candidate: missing('candidate') }
  if (shared === null && wanted === undefined && beyond.length + because.length === 0) return undefined
  return {
    baseline_runs_needed: both.baseline,
    candidate_runs_needed: both.candidate,
    baseline_runs_per_hour: roundOrNull(per_hour.baseline),
    candidate_runs_per_hour: roundOrNull(per_hour.candidate),
    hours: roundOrNull(hoursUntil(both, per_hour)),
    window: shared ?? (wanted === undefined ? null : longerWindow(wanted, per_hour, window)),
    ...(because.length === 0 ? {} : { because: [...because] }),
    ...(beyond.length === 0 ? {} : { beyond_traffic: beyond }),
  }
}

/** The window that holds as many runs at the present rate, where this one is too short for them. */
function longerWindow(wanted: OfSides<number>, perHour: OfSides, { since, until }: Window): string | null {
  const hours = hoursUntil(wanted, perHour)
  const minutes = hours === null ? 0 : Math.ceil((hours * HOUR_MS) / MINUTE_MS)
  return minutes * MINUTE_MS > until - since ? windowCovering(minutes) : null
}

/** Runs of each side, all together, and the limits that no such traffic decides. */
function wantedRuns({ policy, thresholds, label, statistics, runs }: Lacking): {
  readonly wanted: OfSides<number> | undefined
  readonly beyond: NonNullable<MissingEvidence['beyond_traffic']>
  /** Why limits are not decided that no runs decide. */
  readonly because: readonly string[]
} {
  const isUnsure = policy.require_high_diff_confidence && label.confidence !== 'HIGH'
  const confident = { baseline: thresholds.min_baseline_runs, candidate: thresholds.min_candidate_runs }
  const undecided = statistics.limits.filter(({ passed, outcome }) => !passed && outcome === 'inconclusive')
  const because = new Map(undecided.map(limit => [limit, becauseOf(limit, statistics)]))
  const limits = undecided
    .filter(limit => because.get(limit) === undefined)
    .flatMap(limit => {
      const wanted = wantedBy(limit, statistics, runs)
      return wanted === undefined ? [] : [{ limit, wanted }]
    })
  const isBeyond = ({ wanted }: (typeof limits)[number]): boolean =>
    (['baseline', 'candidate'] as const).some(side => isBeyondTraffic(wanted[side], runs[side]))
  const parts = [
    ...(isUnsure ? [confident] : []),
    ...limits.filter(one => !isBeyond(one)).map(({ wanted }) => wanted),
  ]
  return {
    wanted:
      parts.length === 0
        ? undefined
        : {
            baseline: Math.max(...parts.map(({ baseline }) => baseline)),
            candidate: Math.max(...parts.map(({ candidate }) => candidate)),
          },
    because: [...new Set([...because.values()].filter(text => text !== undefined))],
    beyond: limits.filter(isBeyond).map(({ limit: { policy_key, limit } }) => ({
      policy_key,
      limit,
      smallest_provable_limit: metricOf(policy_key, statistics)?.smallest_provable_limit ?? null,
    })),
  }
}

/** Why a limit is not decided, where more runs would not decide it. */
function becauseOf(
  { policy_key, inconclusive_because }: LimitResult,
  statistics: DiffStatistics,
): string | undefined {
  const change = CHANGE_LIMITS.find(({ key }) => key === policy_key)
  return change && causeText(change.metric, statistics, inconclusive_because)
}

function wantedBy(
  limit: LimitResult,
  statistics: DiffStatistics,
  runs: OfSides<number>,
): OfSides<number> | undefined {
  const tail = TAIL_LIMITS.find(({ key }) => key === limit.policy_key)
  if (tail !== undefined) {
    const timed = tail.time === 'latency' ? statistics.latency_ms : statistics.ttft_ms?.change
    if (timed === undefined) return undefined
    const wanted = { baseline: 0, candidate: leastOfQuantile(PERCENTILES[tail.percentile]) }
    // With as many runs it is their likeness within a time that keeps the percentile from being known.
    const isFew = timed.candidate_runs < wanted.candidate
    return isFew && limit.inconclusive_because === 'too_few_runs' ? ofAllRuns(wanted, timed, runs) : undefined
  }
  const metric = metricOf(limit.policy_key, statistics)
  // Of the newest runs alone there never are more.
  if (metric && metric === statistics.tools?.calls_per_run && isOfNewestRuns(metric, runs)) return undefined
  const wanted = metric && wantedOf(limit, metric)
  return wanted && ofAllRuns(wanted, metric, runs)
}

function metricOf(policyKey: string, statistics: DiffStatistics): MetricStatistics | undefined {
  const further = FURTHER_LIMITS.find(({ key }) => key === policyKey)
  if (further !== undefined) return furtherChange(further.metric, statistics)
  const change = CHANGE_LIMITS.find(({ key }) => key === policyKey)
  return change && statistics[change.metric]
}

/** Runs that carry the metric; undefined where it isn't for want of runs that its limit is not decided. */
function wantedOf(
  { inconclusive_because: doubt, low, high, limit }: LimitResult,
  metric: MetricStatistics,
): OfSides<number> | undefined {
  const { baseline_runs, candidate_runs, min_runs, runs_needed } = metric
  const each = (runs: number | null): OfSides<number> | undefined =>
    runs === null ? undefined : { baseline: runs, candidate: runs }
  if (doubt === 'no_data' || doubt === 'too_few_runs') return each(runs_needed.runs_per_side ?? min_runs)
  if (doubt === 'interval_too_wide') return each(runs_needed.runs_per_side)
  if (isComparabilityDoubt(doubt)) {
    const isWide = low !== null && low <= limit && (high === null || high > limit)
    if (isWide) return each(runs_needed.runs_per_side)
    // Too few runs for each block of time.
    return Math.min(baseline_runs, candidate_runs) < LEAST_BLOCK_RUNS ? each(LEAST_BLOCK_RUNS) : undefined
  }
  if (doubt === 'skewed_small_candidate') {
    return { baseline: 0, candidate: enoughForSkew(metric, 'candidate') }
  }
  if (doubt === 'skewed_small_baseline') {
    return { baseline: enoughForSkew(metric, 'baseline'), candidate: 0 }
  }
  return undefined
}

function isOfNewestRuns({ baseline_runs, candidate_runs }: MetricStatistics, runs: OfSides<number>): boolean {
  return baseline_runs < runs.baseline || candidate_runs < runs.candidate
}

/** The same of all runs, of which only some carry the metric; undefined where none does though there are runs. */
export function ofAllRuns(
  wanted: OfSides<number>,
  { baseline_runs, candidate_runs }: Pick<MetricStatistics, 'baseline_runs' | 'candidate_runs'>,
  runs: OfSides<number>,
): OfSides<number> | undefined {
  const carried = { baseline: baseline_runs, candidate: candidate_runs }
  const of = (side: keyof OfSides): number | undefined => {
    if (wanted[side] === 0 || runs[side] === 0) return wanted[side]
    return carried[side] === 0 ? undefined : Math.ceil((wanted[side] * runs[side]) / carried[side])
  }
  const [baseline, candidate] = [of('baseline'), of('candidate')]
  return baseline === undefined || candidate === undefined ? undefined : { baseline, candidate }
}

/** Why confidence may be HIGH and evidence too little. */
export const ENOUGH_FOR_HIGH = 'There are enough runs (confidence HIGH), but they do not decide every limit.'

/** What is missing, in sentences. */
export function missingText(missing: MissingEvidence): string {
  const because = (missing.because ?? []).map(text => `More runs do not decide: ${text}.`)
  return [runsText(missing), ...because, ...(missing.beyond_traffic ?? []).map(beyondText)]
    .filter(text => text !== undefined)
    .join(' ')
}

function runsText(missing: MissingEvidence): string | undefined {
  const { baseline_runs_needed: b, candidate_runs_needed: c, window } = missing
  if (b === null || c === null) {
    return window === null ? undefined : `Ask with a window of ${window}, in which both sides ran.`
  }
  if (b === 0 && c === 0) {
    return 'There are as many runs as an unchanged release usually needs; more may decide it.'
  }
  const ended = (['baseline', 'candidate'] as const).filter(
    side => missing[`${side}_runs_needed`] !== 0 && missing[`${side}_runs_per_hour`] === 0,
  )
  if (ended.length > 0) {
    const sides = ended.join(' and the ')
    return `There are too few runs, and the ${sides} had none in the last day: run both releases at once.`
  }
  const runs =
    b === c
      ? `${counted(b)} of each side`
      : c === 0
        ? `${counted(b)} of the baseline`
        : b === 0
          ? `${counted(c)} of the candidate`
          : `${counted(b)} of the baseline and ${count(c)} of the candidate`
  return `It takes about ${runs}${timeText(missing)}${window === null ? '' : `, and a window of ${window}`}.`
}

function beyondText({
  policy_key,
  limit,
  smallest_provable_limit: least,
}: NonNullable<MissingEvidence['beyond_traffic']>[number]): string {
  const possible =
    least === null
      ? ''
      : `; the smallest limit that these runs could decide is ${limitValue(policy_key, least)}`
  return `${policy_key} ${limitValue(policy_key, limit)} is not decided with this traffic${possible}.`
}

function timeText({
  hours,
  baseline_runs_needed: b,
  baseline_runs_per_hour: perHour,
}: MissingEvidence): string {
  if (hours !== null) return `, ${hoursText(hours)} at the present rate`
  const side = b !== 0 && perHour === null ? 'baseline' : 'candidate'
  return `; the ${side} has no runs in this window yet`
}

function counted(runs: number): string {
  return `${count(runs)} more ${runs === 1 ? 'run' : 'runs'}`
}
