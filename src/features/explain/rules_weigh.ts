import type { DiffStatistics, ExplainedLimit, LimitResult } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { SideMetrics } from '../../rules/cost.ts'
import {
  type ConfidenceLabel,
  type EvaluatedEvidence,
  type Evidence,
  type Thresholds,
  confidenceOf,
} from '../../rules/evidence.ts'
import { decideLimits, limitReasons } from '../../rules/limits.ts'
import { DEFAULT_POLICY, type StoredPolicy, type PolicyRule, ruleText } from '../../rules/scope.ts'
import {
  CONFIDENCE_KEYS,
  POINT_LIMITS,
  confidenceReason,
  policyReasons,
  unmeasuredLimits,
} from '../../rules/policy.ts'
import { blocksUnmeasured, measuredSides } from '../../rules/judge.ts'

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
  const { evaluation } = evidence
  return evaluation === null ? [] : policyRows(evidence, evaluation, question)
}

function policyRows(
  evidence: Evidence,
  evaluation: EvaluatedEvidence,
  { effective, thresholds, statistics, unknown }: Question,
): ExplainedLimit[] {
  const { baseline, candidate } = measuredSides(evaluation)
  const label = confidenceOf(baseline.runs, candidate.runs, thresholds)
  const rules = effective.scope?.rules ?? []
  const runs = { baseline_runs: baseline.runs, candidate_runs: candidate.runs }
  const known = knownPart(effective.policy, unknown)
  const strict = blocksUnmeasured(evidence)
  return [
    ...pointRows(known, candidate, rules, strict, runs),
    ...confidenceRows(known, label, rules, runs),
    ...(statistics === undefined ? [] : decideLimits(known, statistics)).map(limit =>
      measuredRow(limitRow(limit, rules), candidate, rules, strict),
    ),
    ...Array.from(unknown, ([policy_key, why]) => ({
      ...NOTHING,
      ...runs,
      policy_key,
      metric: policy_key,
      limit: limitOf(effective.policy, policy_key),
      verdict: 'unknown' as const,
      passed: null,
      why: why + ruleText(rules, policy_key),
    })),
  ]
}

/** The policy without limits whose result is unknown. */
export function knownPart(policy: Policy, unknown: ReadonlyMap<string, string>): Policy {
  return { ...policy, ...Object.fromEntries(Array.from(unknown.keys(), key => [key, null])) }
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
