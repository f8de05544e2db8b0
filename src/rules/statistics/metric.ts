import type { Metric } from '../../models/answers/statistics.ts'
import { round12 } from '../../base/numbers.ts'
import { ALPHA, type Estimate, TUNED_FOR_RUNS, roundEstimate, roundOrNull } from './intervals.ts'
import type { Match, Shared } from './match.ts'
import type { Provable } from './plan.ts'
import { type Moments, type Sample, varianceOf } from './samples.ts'
import { type ClusterKind, type Clusters, LEAST_BLOCKS, clustersOf } from './variances.ts'

type Verdict = 'better' | 'worse' | 'no_difference' | 'inconclusive'

/**
 * Why nothing is claimed: a side without values; a baseline of which every run failed; a side with too few of them, or too
 * few sessions or tenants; sides that ran at other times, see {@link ComparabilityDoubt}; few candidate runs of a skewed
 * metric compared with many of the baseline, which hide a regression too often, or few baseline runs, which show one too often;
 * a baseline whose mean is 0, or may be; an interval that holds both what passes and what doesn't.
 */
export type Doubt =
  | 'no_data'
  | 'no_success'
  | 'too_few_runs'
  | 'too_few_clusters'
  | ComparabilityDoubt
  | 'skewed_small_candidate'
  | 'skewed_small_baseline'
  | 'baseline_is_zero'
  | 'baseline_near_zero'
  | 'interval_too_wide'

/**
 * Why a difference may be one of times: under half of the runs are of blocks of time in which both sides ran; or the runs
 * of a side lie in so few blocks that nothing says how much blocks differ.
 */
export type ComparabilityDoubt = 'not_comparable' | 'too_few_blocks'

export function isComparabilityDoubt(doubt: Doubt | null): doubt is ComparabilityDoubt {
  return doubt === 'not_comparable' || doubt === 'too_few_blocks'
}

/**
 * A metric's change from baseline to candidate, as it is answered; the model says what each field is. Evidence of rules
 * before 4 lacks `is_skewed_small_baseline` and `comparability_doubt`, before 5 `matched`.
 */
export type MetricStatistics = Metric

/** The part of two sides that is compared. */
export type MatchedPart = NonNullable<MetricStatistics['matched']>

/** What is found of a metric before it is rounded and judged. */
export interface Findings extends Provable {
  readonly difference: Estimate | null
  readonly relative_change: Estimate | null
  readonly design_effect: number | null
  readonly is_skewed_small_candidate: boolean
  readonly is_skewed_small_baseline: boolean
  /** What was compared, where that is not the window as it is. */
  readonly shared?: Shared | undefined
  /** Whether the interval is within what doesn't count as a change. */
  readonly is_unchanged: boolean
}

export function reported(
  baseline: Sample,
  candidate: Sample,
  settings: Settings,
  { is_unchanged, ...found }: Findings,
): MetricStatistics {
  const [b, c] = [baseline.moments, candidate.moments]
  const isKnown = b.n > 0 && c.n > 0
  const clusters =
    found.shared === undefined || settings.clusters === 'units'
      ? clustersOf(baseline, candidate)
      : unitsOf(found.shared, b, c)
  const shown = {
    baseline_runs: b.n,
    candidate_runs: c.n,
    baseline_mean: b.n === 0 ? null : round12(b.mean),
    candidate_mean: c.n === 0 ? null : round12(c.mean),
    baseline_stddev: deviation(b),
    candidate_stddev: deviation(c),
    difference: isKnown ? roundEstimate(found.difference) : null,
    relative_change: isKnown ? roundEstimate(found.relative_change) : null,
    interval: settings.sequential ? ('sequential' as const) : ('fixed' as const),
    confidence_level: round12(1 - settings.alpha),
    design_effect: roundOrNull(found.design_effect),
    clusters,
    min_runs: settings.min_runs,
    is_skewed_small_candidate: found.is_skewed_small_candidate,
    is_skewed_small_baseline: found.is_skewed_small_baseline,
    comparability_doubt: isKnown ? doubtOf(clusters, settings, found.shared) : null,
    ...(found.shared === undefined ? {} : { matched: matchedPart(found.shared, settings.match!) }),
    smallest_provable_limit: roundOrNull(found.smallest_provable_limit),
  }
  const verdict = verdictOf(shown, is_unchanged, settings.better)
  const { runs_needed } = found
  // No number of runs makes a proven rise pass.
  const isWorse = verdict.verdict === 'worse'
  const isWide = verdict.inconclusive_because === 'interval_too_wide'
  return {
    ...shown,
    ...(isWide && shown.matched !== undefined
      ? { matched: { ...shown.matched, ...spreadOf(found.shared?.found) } }
      : {}),
    runs_needed: isWorse ? { ...runs_needed, candidate_runs_missing: null } : runs_needed,
    ...verdict,
  }
}

function doubtOf(
  clusters: Clusters,
  { clusters: kind, over_window }: Settings,
  shared: Shared | undefined,
): ComparabilityDoubt | null {
  if (shared !== undefined) return shared.isComparable ? null : 'not_comparable'
  return kind === 'blocks' && !over_window ? comparabilityDoubt(clusters) : null
}

/** Units of time are the same on both sides. */
function unitsOf({ overlap }: Shared, b: Moments, c: Moments): Clusters {
  const units = round12(overlap.effective_units)
  const runs = b.n + c.n
  return {
    baseline: units,
    candidate: units,
    shared_runs_share: runs === 0 ? 0 : round12((overlap.baseline_runs + overlap.candidate_runs) / runs),
  }
}

function matchedPart({ overlap, found }: Shared, { by }: Match): MatchedPart {
  return {
    by,
    baseline_mean: found === undefined ? null : round12(found.baseline_mean),
    candidate_mean: found === undefined ? null : round12(found.candidate_mean),
    baseline_runs: overlap.baseline_runs,
    candidate_runs: overlap.candidate_runs,
    baseline_share: round12(overlap.baseline_share),
    candidate_share: round12(overlap.candidate_share),
    units: round12(overlap.effective_units),
  }
}

/** What makes an interval wide, where it isn't the number of runs. */
function spreadOf(found: Shared['found']): Pick<MatchedPart, 'moved' | 'days_differ'> {
  const { moved, days_differ } = found ?? {}
  if (days_differ === true) return { days_differ }
  if (moved === undefined) return {}
  const { first, end, share, baseline, candidate } = moved
  const [baseline_rest, baseline_mean] = baseline.map(round12) as [number, number]
  const [candidate_rest, candidate_mean] = candidate.map(round12) as [number, number]
  return {
    moved: {
      first_block: first,
      end_block: end,
      share: round12(share),
      baseline_rest,
      baseline_mean,
      candidate_rest,
      candidate_mean,
    },
  }
}

/** A skewed metric takes so many runs per square of its coefficient of variation, or so large a part of the other side's. */
export const SKEW = { runs: 100, others: 4 } as const

/** Runs of a side from which on it isn't too small for how skewed it is, where as large a part of them is compared. */
export function enoughForSkew(metric: MetricStatistics, side: 'baseline' | 'candidate'): number {
  const compared = (of: 'baseline' | 'candidate'): number =>
    metric.matched?.[`${of}_runs`] ?? metric[`${of}_runs`]
  const [mean, stddev] = [metric[`${side}_mean`] ?? 0, metric[`${side}_stddev`] ?? 0]
  const part = Math.ceil(compared(side === 'baseline' ? 'candidate' : 'baseline') / SKEW.others)
  const enough = mean > 0 ? Math.min(Math.ceil(SKEW.runs * (stddev / mean) ** 2), part) : part
  return Math.ceil((enough * metric[`${side}_runs`]) / Math.max(1, compared(side)))
}

/** Least share of the runs that must be of blocks of time in which both sides ran. */
export const LEAST_SHARED = 0.5

/** Whether what two sides share of time bears a difference, by their blocks of time. */
export function comparabilityDoubt({
  baseline,
  candidate,
  shared_runs_share,
}: Clusters): ComparabilityDoubt | null {
  if (shared_runs_share < LEAST_SHARED) return 'not_comparable'
  return Math.min(baseline, candidate) < LEAST_BLOCKS ? 'too_few_blocks' : null
}

function deviation(moments: Moments): number | null {
  return moments.n < 2 ? null : round12(Math.sqrt(varianceOf(moments)))
}

export interface CompareOptions {
  /** Share of intervals that miss the truth; 0.05. */
  readonly alpha?: number
  /** Use intervals that stay valid however often you check; false. */
  readonly sequential?: boolean
  /** Runs of both sides together at which sequential intervals are narrowest; 1,000. */
  readonly tuned_for_runs?: number
  /** Fewest runs per side for a claim; 10, also where less is given. */
  readonly min_runs?: number
  /** Whether samples are cut into blocks of time or by units that hang together; `blocks`. */
  readonly clusters?: ClusterKind
  /**
   * Judges the sides over the window as it is, whatever they share of its blocks of time: a rollback, or cases of a test
   * set; false.
   */
  readonly over_window?: boolean
  /** What of blocks of time is compared; undefined where it is the window as it is. */
  readonly match?: Match | undefined
  /** Which direction is an improvement; `lower`. */
  readonly better?: 'lower' | 'higher'
  /** The limit that runs are planned for; 0.1 of a mean, 0.02 of a rate. */
  readonly planned_limit?: number
  /** How many limits must hold at once, for the plan; 1. */
  readonly limits?: number
}

export type Settings = Required<Omit<CompareOptions, 'match'>> & Pick<CompareOptions, 'match'>

/** Fewer runs than these support no interval. */
const LEAST_RUNS = 10
/** Nor these an interval that holds at all times. */
const LEAST_SEQUENTIAL_RUNS = 50

export function settingsOf(options: CompareOptions, plannedLimit: number): Settings {
  const sequential = options.sequential ?? false
  return {
    alpha: ALPHA,
    tuned_for_runs: TUNED_FOR_RUNS,
    clusters: 'blocks',
    over_window: false,
    better: 'lower',
    planned_limit: plannedLimit,
    limits: 1,
    ...options,
    sequential,
    min_runs: Math.max(sequential ? LEAST_SEQUENTIAL_RUNS : LEAST_RUNS, options.min_runs ?? 0),
  }
}

type JudgedMetric = Pick<
  MetricStatistics,
  | 'baseline_runs'
  | 'candidate_runs'
  | 'baseline_stddev'
  | 'candidate_stddev'
  | 'min_runs'
  | 'is_skewed_small_candidate'
  | 'is_skewed_small_baseline'
  | 'comparability_doubt'
  | 'matched'
  | 'difference'
>

/** What an interval says compared with a margin within which a change doesn't count. */
function verdictOf(
  statistics: JudgedMetric,
  isWithinMargin: boolean,
  better: 'lower' | 'higher',
): Pick<MetricStatistics, 'verdict' | 'inconclusive_because'> {
  const doubt = doubtOfSamples(statistics)
  if (doubt !== null) return { verdict: 'inconclusive', inconclusive_because: doubt }
  const claim = claimOf(statistics, isWithinMargin, better)
  if (claim === 'inconclusive') return { verdict: claim, inconclusive_because: 'interval_too_wide' }
  if (statistics.is_skewed_small_candidate && claim !== 'worse') {
    return { verdict: 'inconclusive', inconclusive_because: 'skewed_small_candidate' }
  }
  if (statistics.is_skewed_small_baseline === true && claim === 'worse') {
    return { verdict: 'inconclusive', inconclusive_because: 'skewed_small_baseline' }
  }
  return { verdict: claim, inconclusive_because: null }
}

/** Whether the samples bear no claim, whatever the interval. */
export function doubtOfSamples(
  statistics: Pick<
    MetricStatistics,
    'baseline_runs' | 'candidate_runs' | 'min_runs' | 'difference' | 'comparability_doubt' | 'matched'
  >,
): Doubt | null {
  const fewest = Math.min(statistics.baseline_runs, statistics.candidate_runs)
  if (fewest === 0) return 'no_data'
  if (fewest < statistics.min_runs) return 'too_few_runs'
  if (statistics.matched !== undefined && statistics.comparability_doubt === 'not_comparable') {
    return 'not_comparable'
  }
  if (statistics.difference?.low == null) return 'too_few_clusters'
  return statistics.comparability_doubt ?? null
}

function claimOf(
  { difference, baseline_stddev, candidate_stddev }: JudgedMetric,
  isWithinMargin: boolean,
  better: 'lower' | 'higher',
): Verdict {
  const [up, down] = better === 'lower' ? (['worse', 'better'] as const) : (['better', 'worse'] as const)
  // Between runs that are all alike, the interval of the smallest step, say a millisecond, leaves 0 out.
  if (isWithinMargin && baseline_stddev === 0 && candidate_stddev === 0) return 'no_difference'
  if (difference?.low != null && round12(difference.low) > 0) return up
  if (difference?.high != null && round12(difference.high) < 0) return down
  return isWithinMargin ? 'no_difference' : 'inconclusive'
}
