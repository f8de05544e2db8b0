import { round12 } from '../../base/numbers.ts'
import type { Estimate } from './intervals.ts'
import { type Doubt, type MetricStatistics, doubtOfSamples } from './metric.ts'

/** What a policy does where an interval doesn't tell: blocks, lets pass, or goes by the estimate alone. */
export type OnInconclusive = 'block' | 'pass' | 'estimate'

/** How a limit was decided. Plain JSON. */
export interface LimitDecision {
  readonly passed: boolean
  /** What the interval says: within the limit, beyond it, or neither. */
  readonly outcome: 'pass' | 'fail' | 'inconclusive'
  /** Null unless the outcome is inconclusive. */
  readonly inconclusive_because: Doubt | null
  /** What settled it: the interval, or where that is inconclusive the estimate or the policy's word alone. */
  readonly decided_by: 'interval' | 'estimate' | 'policy'
  readonly limit: number
  /** What was compared with the limit, in its unit; null where there is nothing to compare. */
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
}

/** A limit on how much a metric may rise: a fraction of the baseline's mean, or a difference in the metric's unit. */
export interface ChangeLimit {
  readonly limit: number
  readonly of: 'relative_change' | 'difference'
}

/** Decides a limit on a change: it passes where the whole interval is within, equal included, and fails where all is beyond. */
export function decideChange(
  statistics: MetricStatistics,
  { limit, of }: ChangeLimit,
  onInconclusive: OnInconclusive,
): LimitDecision {
  const doubt = doubtOfSamples(statistics)
  const { baseline_mean, candidate_mean } = statistics.matched ?? statistics
  if (of === 'relative_change' && baseline_mean === 0 && doubt === null) {
    return decided(limit, null, ofNothing(candidate_mean, statistics), onInconclusive)
  }
  const change = statistics[of]
  if (doubt !== null) return decided(limit, change, doubt, onInconclusive)
  if (change === null || change.low === null) {
    return decided(limit, change, 'baseline_near_zero', onInconclusive)
  }
  return decided(limit, change, unlessSkewed(outcomeOf(change, limit), statistics), onInconclusive)
}

/** The small side of a skewed metric is mostly too low: of the candidate it proves no pass, of the baseline no failure. */
function unlessSkewed(
  outcome: 'pass' | 'fail' | Doubt,
  { is_skewed_small_candidate, is_skewed_small_baseline = false }: MetricStatistics,
): 'pass' | 'fail' | Doubt {
  if (outcome === 'pass' && is_skewed_small_candidate) return 'skewed_small_candidate'
  return outcome === 'fail' && is_skewed_small_baseline ? 'skewed_small_baseline' : outcome
}

/** Against a baseline of 0 any rise is infinite. */
function ofNothing(
  candidateMean: number | null,
  { difference }: MetricStatistics,
): 'pass' | 'fail' | 'baseline_is_zero' {
  if (candidateMean === 0) return 'pass'
  return difference?.low != null && difference.low > 0 ? 'fail' : 'baseline_is_zero'
}

/**
 * Decides a limit on a value of the candidate alone, say its p95; `value` is null where there are too few runs to know
 * it.
 */
export function decideValue(
  value: Estimate | null,
  limit: number,
  onInconclusive: OnInconclusive,
): LimitDecision {
  return decided(limit, value, value === null ? 'too_few_runs' : outcomeOf(value, limit), onInconclusive)
}

/** Decides a limit on a rise that is known, or of which `doubt` says why it bears no claim. */
export function decideRise(
  rise: Estimate | null,
  doubt: Doubt | null,
  limit: number,
  onInconclusive: OnInconclusive,
): LimitDecision {
  const found = rise === null ? 'too_few_runs' : outcomeOf(rise, limit)
  return decided(limit, rise, doubt ?? found, onInconclusive)
}

/**
 * Decides a limit that a mean of the candidate may not fall below; null is no data, which blocks whatever the policy
 * says of doubts.
 */
export function decideFloor(
  value: Estimate | null,
  { limit, isEnough }: { readonly limit: number; readonly isEnough: boolean },
  onInconclusive: OnInconclusive,
): LimitDecision {
  if (value === null) return decided(limit, null, 'no_data', 'block')
  const below = negated(value)
  const decision = decided(
    -limit,
    below,
    isEnough ? outcomeOf(below, -limit) : 'too_few_runs',
    onInconclusive,
  )
  return { ...decision, limit, ...value }
}

/** Decides a limit on how much a mean may fall; a side without data blocks whatever the policy says of doubts. */
export function decideDrop(
  statistics: MetricStatistics,
  limit: number,
  onInconclusive: OnInconclusive,
): LimitDecision {
  const { difference } = statistics
  const fallen = { ...statistics, difference: difference === null ? null : negated(difference) }
  const hasData = statistics.baseline_runs > 0 && statistics.candidate_runs > 0
  return decideChange(fallen, { limit, of: 'difference' }, hasData ? onInconclusive : 'block')
}

/** Taken from 0, because a zero with a sign is another value to who compares. */
function negated({ estimate, low, high }: Estimate): Estimate {
  return { estimate: 0 - estimate, low: high === null ? null : 0 - high, high: low === null ? null : 0 - low }
}

function outcomeOf({ low, high }: Estimate, limit: number): 'pass' | 'fail' | 'interval_too_wide' {
  if (high !== null && isWithin(high, limit)) return 'pass'
  return low !== null && !isWithin(low, limit) ? 'fail' : 'interval_too_wide'
}

/** Lets a limit pass undecided, because no run of the baseline succeeded. */
export function withoutSuccess(limit: number): LimitDecision {
  return decided(limit, null, 'no_success', 'pass')
}

function isWithin(value: number, limit: number): boolean {
  return round12(value) <= round12(limit)
}

function decided(
  limit: number,
  change: Estimate | null,
  found: 'pass' | 'fail' | Doubt,
  onInconclusive: OnInconclusive,
): LimitDecision {
  const { estimate, low, high } = change ?? { estimate: null, low: null, high: null }
  const compared = { limit, estimate, low, high }
  if (found === 'pass' || found === 'fail') {
    return {
      passed: found === 'pass',
      outcome: found,
      inconclusive_because: null,
      decided_by: 'interval',
      ...compared,
    }
  }
  const byEstimate = onInconclusive === 'estimate' && estimate !== null
  return {
    passed: byEstimate ? isWithin(estimate, limit) : onInconclusive === 'pass',
    outcome: 'inconclusive',
    inconclusive_because: found,
    decided_by: byEstimate ? 'estimate' : 'policy',
    ...compared,
  }
}
