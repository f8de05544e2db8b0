import { MOST_INCOMPLETE } from './statistics/incomplete.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { ConfidenceLabel } from './evidence.ts'
import type { SideMetrics } from './cost.ts'
import type { Comparison } from '../models/answers/diff.ts'
import type { DiffStatistics, LimitResult } from '../models/answers/statistics.ts'
import { limitReasons } from './limits.ts'
import { CONFIDENCE, NOTHING, TOO_INCOMPLETE, UNMEASURED } from './result.ts'
import { type PolicyRule, ruleText } from './scope.ts'
import type { MetricStatistics } from './statistics/metric.ts'
import { percent, points, similarNames } from '../base/text.ts'
import { distinctDecimals, round12 } from '../base/numbers.ts'

/** Why a gate of a place without a baseline is not passed. */
export function nothingToCompare(agentId: string, environment: string): string {
  return `${NOTHING}${agentId} in ${environment}, so there is nothing to compare with`
}

/** What to mind of a first promotion: it may be a slip of the environment's name. */
export function firstPromotionText(
  agentId: string,
  environment: string,
  { registered, promoted }: { readonly registered: string; readonly promoted: readonly string[] },
): string {
  const [meant] = similarNames(environment, new Set([registered, ...promoted]), 1)
  return [
    `${agentId} has never had a live release in ${environment}: nothing is compared, and no policy is evaluated.`,
    registered === environment ? '' : `The release was registered for ${registered}.`,
    promoted.length === 0 ? '' : `The agent is promoted in ${promoted.join(', ')}.`,
    meant === undefined || meant === environment ? '' : `Did you mean ${meant}?`,
  ]
    .filter(sentence => sentence !== '')
    .join(' ')
}

/**
 * The reasons why a candidate fails a policy, in the order of the specification (Policy evaluation), behind them those
 * of limits that are decided by intervals; none means it passes. Limits compare after rounding to 12 significant digits,
 * and equal passes. A reason names the override that set its limit, if one did.
 */
export function policyReasons(
  policy: Policy,
  candidate: SideMetrics,
  label: ConfidenceLabel,
  limits: readonly LimitResult[] = [],
  rules: readonly PolicyRule[] = [],
): string[] {
  const reasons = exceeded(policy, of => candidate[of]).map(
    ({ key, reason }) => reason + ruleText(rules, key),
  )
  const confidence = confidenceReason(policy, label, rules)
  return [...reasons, ...(confidence === null ? [] : [confidence]), ...limitReasons(limits, rules)]
}

/** The limits on a mean that a candidate exceeds, and why. */
function exceeded(
  policy: Policy,
  valueOf: (of: (typeof POINT_LIMITS)[number]['of']) => number | null,
): { readonly key: (typeof POINT_LIMITS)[number]['key']; readonly reason: string }[] {
  return POINT_LIMITS.flatMap(({ key, name, of, digits }) => {
    const reason = exceeds(name, valueOf(of), policy[key], digits)
    return reason === null ? [] : [{ key, reason }]
  })
}

/** Keys of the limits that a candidate fails. */
export function failedKeys(
  policy: Policy,
  {
    metrics,
    statistics: { limits },
  }: { readonly metrics: Comparison; readonly statistics: Pick<DiffStatistics, 'limits'> },
): string[] {
  return [
    ...exceeded(policy, of => metrics[`candidate_${of}`]).map(({ key }) => key),
    ...limits.filter(({ passed }) => !passed).map(one => one.policy_key),
  ]
}

/** Why confidence doesn't suffice; null where it does, or the policy doesn't ask for it. */
export function confidenceReason(
  { require_high_diff_confidence }: Policy,
  { confidence, confidence_reason }: ConfidenceLabel,
  rules: readonly PolicyRule[],
): string | null {
  if (!require_high_diff_confidence || confidence === 'HIGH') return null
  const why = `${CONFIDENCE}${confidence} (${confidence_reason}); promotion requires HIGH`
  return why + ruleText(rules, ...CONFIDENCE_KEYS)
}

/**
 * Limits on a mean of the candidate: what a reason calls it, its sample, and how many decimals a reason writes of value and
 * limit.
 */
export const POINT_LIMITS = [
  {
    key: 'max_cost_per_run_usd',
    name: 'cost_per_run_usd',
    of: 'cost_per_run_usd',
    sample: 'cost_per_run_usd',
    digits: [6, 6],
  },
  {
    key: 'max_latency_ms',
    name: 'latency_ms_avg',
    of: 'latency_ms_avg',
    sample: 'latency_ms',
    digits: [2, 0],
  },
  { key: 'max_error_rate', name: 'error_rate', of: 'error_rate', sample: 'error_rate', digits: [4, 4] },
] as const

/** Keys that decide whether confidence suffices. */
export const CONFIDENCE_KEYS = [
  'require_high_diff_confidence',
  'min_candidate_runs',
  'min_baseline_runs',
  'min_low_runs',
] as const

/** Limits of a policy on what the candidate has no data for: they block nothing, which nobody should take for passing. */
export function unmeasuredLimits(
  policy: Policy,
  candidate: SideMetrics,
  rules: readonly PolicyRule[] = [],
): string[] {
  const isFree = candidate.has_tokens === false
  const unmeasured = POINT_LIMITS.filter(
    ({ key, of }) =>
      policy[key] !== null &&
      (candidate[of] === null || candidate.runs === 0 || (of === 'cost_per_run_usd' && isFree)),
  ).map(({ key }) => key)
  // Without runs it is decided as what has no data.
  const isFreeRise = isFree && candidate.runs > 0 && policy[COST_RISE] != null
  return [...unmeasured, ...(isFreeRise ? [COST_RISE] : [])].map(
    key => key + UNMEASURED + ruleText(rules, key),
  )
}

/** The limit on a rise of the cost, which what costs nothing keeps. */
const COST_RISE = 'max_cost_increase_pct'

/** A limit on the latency that few of the runs decide, because the others carry none: fewer than confidence would take. */
export function thinLimits(
  { max_latency_ms }: Policy,
  { runs, latencies, min_low_runs }: TimedRuns,
  rules: readonly PolicyRule[] = [],
): string[] {
  const isThin = latencies > 0 && latencies < Math.min(runs, min_low_runs)
  if (max_latency_ms === null || !isThin) return []
  const text = `max_latency_ms is decided by ${latencies} of ${runs} runs: the others have no latency`
  return [text + ruleText(rules, 'max_latency_ms')]
}

/** Errors that rose for sure, where the policy limits none. */
export function unlimitedErrors(
  { max_error_rate, max_error_rate_increase }: Partial<Policy>,
  { verdict, difference, matched, ...all }: MetricStatistics,
): string[] {
  if (max_error_rate != null || max_error_rate_increase != null || verdict !== 'worse') return []
  const { baseline_mean, candidate_mean } = matched ?? all
  const [before, after] = [percent(baseline_mean!), percent(candidate_mean!)]
  return [
    `errors rose from ${before} to ${after}, by at least ${points(difference!.low!)}, and the policy limits none: set ` +
      'max_error_rate_increase or max_error_rate',
  ]
}

/** How many runs of the candidate there are, how many carry a latency, and below how many confidence is LOW. */
interface TimedRuns {
  readonly runs: number
  readonly latencies: number
  readonly min_low_runs: number
}

/** Both sides of an evaluation, measured. */
interface Measured {
  readonly baseline: SideMetrics
  readonly candidate: SideMetrics
}

/** Why limits on cost can't pass: too many runs of a side that they read have a usage that isn't all known. */
export function incompleteReasons(policy: Policy, sides: Measured): string[] {
  const compares = policy[COST_RISE] != null || policy.max_segment_cost_increase_pct != null
  const isLimited = { baseline: compares, candidate: compares || policy.max_cost_per_run_usd !== null }
  return SIDES.filter(side => isLimited[side] && incompleteShare(sides[side]) > MOST_INCOMPLETE).map(
    side => `${incompleteText(side, sides[side])}, more than the ${100 * MOST_INCOMPLETE} %${TOO_INCOMPLETE}`,
  )
}

const SIDES = ['baseline', 'candidate'] as const

/** What cost and token means leave out of a side. */
export function incompleteWarnings(sides: Measured): string[] {
  return SIDES.filter(side => incompleteShare(sides[side]) > 0).map(
    side => `${incompleteText(side, sides[side])}: cost and token means leave them out`,
  )
}

function incompleteShare({ incomplete_runs = 0, runs }: SideMetrics): number {
  return runs === 0 ? 0 : incomplete_runs / runs
}

function incompleteText(side: string, metrics: SideMetrics): string {
  const share = (100 * incompleteShare(metrics)).toFixed(1)
  return `${side}: the usage of ${metrics.incomplete_runs ?? 0} of ${metrics.runs} runs (${share} %) is incomplete`
}

function exceeds(
  name: string,
  value: number | null,
  max: number | null,
  [valueDigits, maxDigits]: readonly [number, number],
): string | null {
  if (value === null || max === null || round12(value) <= round12(max)) return null
  const [valueText, maxText] =
    valueDigits === maxDigits
      ? distinctDecimals(value, max, valueDigits)
      : [distinctDecimals(value, max, valueDigits)[0], String(max)]
  return `candidate ${name} ${valueText} exceeds max ${maxText}`
}
