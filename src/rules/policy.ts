import type { Policy } from '../models/documents/policy.ts'
import type { ConfidenceLabel } from './confidence.ts'
import type { SideMetrics } from './cost.ts'
import type { LimitResult } from '../models/answers/statistics.ts'
import { UNPROVEN, limitReasons } from './limits.ts'
import { similarNames } from '../base/similar.ts'
import { distinctDecimals, round12 } from '../base/numbers.ts'

/** The policy in force when none was ever set (specification, Policy). */
export const DEFAULT_POLICY: Policy = {
  policy_id: 'default',
  max_cost_per_run_usd: null,
  max_latency_ms: null,
  max_error_rate: null,
  min_candidate_runs: null,
  min_baseline_runs: null,
  min_low_runs: null,
  require_high_diff_confidence: true,
}

export const FORCED_REASON = 'forced rollback: the policy was not asked'

export const FIRST_PROMOTION_REASON = 'first promotion: no promoted baseline for agent/environment'

/** Why a gate of a place without a baseline is not passed. */
export function nothingToCompare(agentId: string, environment: string): string {
  return `nothing is promoted for ${agentId} in ${environment}, so there is nothing to compare with`
}

/** What to mind of a first promotion: it may be a slip of the environment's name. */
export function firstPromotionText(
  agentId: string,
  environment: string,
  { registered, promoted }: { readonly registered: string; readonly promoted: readonly string[] },
): string {
  const [meant] = similarNames(environment, new Set([registered, ...promoted]), 1)
  return [
    `${agentId} was never promoted in ${environment}: nothing is compared, and the policy is not asked.`,
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
 * and equal passes.
 */
export function policyReasons(
  policy: Policy,
  candidate: SideMetrics,
  label: ConfidenceLabel,
  limits: readonly LimitResult[] = [],
): string[] {
  const reasons = [
    exceeds('cost_per_run_usd', candidate.cost_per_run_usd, policy.max_cost_per_run_usd, 6, 6),
    exceeds('latency_ms_avg', candidate.latency_ms_avg, policy.max_latency_ms, 2, 0),
    exceeds('error_rate', candidate.error_rate, policy.max_error_rate, 4, 4),
  ]
  if (policy.require_high_diff_confidence && label.confidence !== 'HIGH') {
    reasons.push(`${CONFIDENCE}${label.confidence} (${label.confidence_reason}); promotion requires HIGH`)
  }
  return [...reasons.filter(reason => reason !== null), ...limitReasons(limits)]
}

/** Limits of a policy on what the candidate has no data for: they block nothing, which nobody should take for passing. */
export function unmeasuredLimits(policy: Policy, candidate: SideMetrics): string[] {
  const limits = [
    ['max_cost_per_run_usd', policy.max_cost_per_run_usd, candidate.cost_per_run_usd],
    ['max_latency_ms', policy.max_latency_ms, candidate.latency_ms_avg],
    ['max_error_rate', policy.max_error_rate, candidate.error_rate],
  ] as const
  return limits
    .filter(([, limit, value]) => limit !== null && (value === null || candidate.runs === 0))
    .map(([name]) => `${name}${UNMEASURED}`)
}

const CONFIDENCE = 'diff confidence is '
const UNMEASURED = ' is limited but not measured: the candidate has no data for it'

/**
 * Whether a policy lets a candidate pass, finds a limit violated, or only lacks evidence: every reason is about
 * confidence, an interval that doesn't tell, or a limit on what has no data, then.
 */
export function verdictOf({
  passed,
  reasons,
}: {
  readonly passed: boolean
  readonly reasons: readonly string[]
}): 'pass' | 'block' | 'inconclusive' {
  if (passed) return 'pass'
  const lacksEvidence = reasons.every(
    reason => [CONFIDENCE, UNPROVEN].some(start => reason.startsWith(start)) || reason.endsWith(UNMEASURED),
  )
  return lacksEvidence ? 'inconclusive' : 'block'
}

function exceeds(
  name: string,
  value: number | null,
  max: number | null,
  valueDigits: number,
  maxDigits: number,
): string | null {
  if (value === null || max === null || round12(value) <= round12(max)) return null
  const [valueText, maxText] =
    valueDigits === maxDigits
      ? distinctDecimals(value, max, valueDigits)
      : [distinctDecimals(value, max, valueDigits)[0], String(max)]
  return `candidate ${name} ${valueText} exceeds max ${maxText}`
}
