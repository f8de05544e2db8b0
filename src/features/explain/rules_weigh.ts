import type { DiffStatistics, ExplainedLimit, LimitResult } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { SideMetrics } from '../../rules/cost.ts'
import { type ConfidenceLabel, type Evidence, type Thresholds, confidenceOf } from '../../rules/evidence.ts'
import { limitReasons } from '../../rules/limits.ts'
import { DEFAULT_POLICY, type StoredPolicy, type PolicyRule, ruleText } from '../../rules/scope.ts'
import {
  CONFIDENCE_KEYS,
  POINT_LIMITS,
  confidenceReason,
  policyReasons,
  unmeasuredLimits,
} from '../../rules/policy.ts'
import { factsIn } from '../../rules/judge.ts'

/** A policy compared with evidence, limit by limit. */
export interface Question {
  readonly effective: StoredPolicy
  readonly thresholds: Thresholds
  /** Undefined where nothing was compared. */
  readonly statistics: DiffStatistics | undefined
  /** Limits that the evidence doesn't tell, and why. */
  readonly unknown: ReadonlyMap<string, string>
}

/** Each limit that a policy sets on a decision, in the order of the reasons. */
export function weighLimits(evidence: Evidence, question: Question): ExplainedLimit[] {
  const { policy, rules, strict, measured } = factsIn(evidenceFor(evidence, question))
  if (measured === null) return []
  const { baseline, candidate, thresholds, limits } = measured
  const runs = { baseline_runs: baseline.runs, candidate_runs: candidate.runs }
  return [
    ...pointRows(policy, candidate, rules, strict, runs),
    ...confidenceRows(policy, confidenceOf(baseline.runs, candidate.runs, thresholds), rules, runs),
    ...limits.map(limit => measuredRow(limitRow(limit, rules), candidate, rules, strict)),
    ...Array.from(question.unknown, ([policy_key, why]) => ({
      ...NOTHING,
      ...runs,
      policy_key,
      metric: policy_key,
      limit: limitOf(question.effective.policy, policy_key),
      verdict: 'unknown' as const,
      passed: null,
      why: why + ruleText(rules, policy_key),
    })),
  ]
}

/** Evidence as if another policy had been in force. */
export function policyFrom(evidence: Evidence, { policy, scope }: StoredPolicy): Evidence {
  const { policy_scope: _, ...rest } = evidence
  return { ...rest, policy, ...(scope === undefined ? {} : { policy_scope: scope }) }
}

/** Evidence as if another policy had been in force, without limits whose result is unknown. */
export function evidenceFor(
  evidence: Evidence,
  { effective, thresholds, statistics, unknown }: Question,
): Evidence {
  const { evaluation } = evidence
  const known = { ...effective.policy, ...Object.fromEntries(Array.from(unknown.keys(), key => [key, null])) }
  return {
    ...policyFrom(evidence, { ...effective, policy: known }),
    evaluation: evaluation && { ...evaluation, thresholds, statistics: statistics ?? evaluation.statistics },
  }
}

const NOTHING = { value: null, low: null, high: null } as const

type Runs = Pick<ExplainedLimit, 'baseline_runs' | 'candidate_runs'>

function pointRows(
  policy: Policy,
  candidate: SideMetrics,
  rules: readonly PolicyRule[],
  strict: boolean,
  runs: Runs,
): ExplainedLimit[] {
  return POINT_LIMITS.flatMap(({ key, name, of }): ExplainedLimit[] => {
    const limit = policy[key]
    if (limit === null) return []
    const only = { ...DEFAULT_POLICY, [key]: limit }
    const [reason = null] = policyReasons(only, candidate, HIGH, [], rules)
    const [unmeasured] = unmeasuredLimits(only, candidate, rules)
    const row = { ...NOTHING, ...runs, policy_key: key, metric: name, limit }
    if (unmeasured !== undefined) {
      return [{ ...row, verdict: 'unmeasured', passed: !strict, why: unmeasured }]
    }
    const verdict = reason === null ? 'pass' : 'fail'
    return [{ ...row, value: candidate[of], verdict, passed: reason === null, why: reason }]
  })
}

const HIGH: ConfidenceLabel = { confidence: 'HIGH', confidence_reason: null }

function confidenceRows(
  policy: Policy,
  label: ConfidenceLabel,
  rules: readonly PolicyRule[],
  runs: Runs,
): ExplainedLimit[] {
  const [key] = CONFIDENCE_KEYS
  if (!policy[key]) return []
  const why = confidenceReason(policy, label, rules)
  const passed = why === null
  const row = { ...NOTHING, ...runs, policy_key: key, metric: 'confidence', limit: 'HIGH' }
  return [{ ...row, value: label.confidence, verdict: passed ? 'pass' : 'fail', passed, why }]
}

/** What keeps a limit only for want of data is not measured. */
function measuredRow(
  row: ExplainedLimit,
  candidate: SideMetrics,
  rules: readonly PolicyRule[],
  strict: boolean,
): ExplainedLimit {
  const [why] = unmeasuredLimits({ ...DEFAULT_POLICY, [row.policy_key]: row.limit }, candidate, rules)
  if (why === undefined || row.passed !== true) return row
  return { ...row, ...NOTHING, verdict: 'unmeasured', passed: !strict, why }
}

function limitRow(result: LimitResult, rules: readonly PolicyRule[]): ExplainedLimit {
  const { policy_key, metric, estimate, low, high, limit, outcome, passed, baseline_runs, candidate_runs } =
    result
  const [why = null] = limitReasons([result], rules)
  return {
    policy_key,
    metric,
    value: estimate,
    limit,
    low,
    high,
    baseline_runs,
    candidate_runs,
    verdict: outcome,
    passed,
    why,
  }
}

function limitOf(policy: Policy, key: string): number | string | null {
  const limit: unknown = (policy as Readonly<Record<string, unknown>>)[key]
  return typeof limit === 'number' || typeof limit === 'string' ? limit : null
}
