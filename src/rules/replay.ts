import { confidenceOf } from './confidence.ts'
import { type SideMetrics, sideMetrics } from './cost.ts'
import { type Decided, type Evidence, RULES_VERSION, type SideEvidence } from './evidence.ts'
import { decideLimits } from './limits.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON, policyReasons, unmeasuredLimits } from './policy.ts'
import { gateReasons } from './gates.ts'
import { type DemandJudges, NO_JUDGES, blockingTexts, judgedAgain } from './demands.ts'

/**
 * Decides again from evidence alone, by the rules of the version that made the decision: the reasons that it gives.
 * Undefined where those rules are newer than this program, or those of a feature that it lacks.
 */
export function replayReasons(
  evidence: Evidence,
  decided: Decided,
  judges: DemandJudges = NO_JUDGES,
): string[] | undefined {
  const rules = RULES[(evidence.rules_version ?? 1) as keyof typeof RULES] as Rules | undefined
  const judged = judgedAgain(evidence, decided, judges)
  return judged && rules?.(evidence, decided, blockingTexts(judged))
}

/** Whether reasons are those of a decision that passed. */
export function isPassed(reasons: readonly string[]): boolean {
  return reasons.length === 0 || (reasons.length === 1 && reasons[0] === FIRST_PROMOTION_REASON)
}

type Rules = (evidence: Evidence, decided: Decided, demanded: readonly string[]) => string[]

/** By version; one that decisions were made by never changes. */
const RULES = {
  1: policyAlone,
  2: policyAndGates,
  3: policyAndGates,
  4: policyAndGates,
  5: policyAndGates,
  6: policyAndGates,
} as const satisfies Readonly<Record<number, Rules>>

function policyAlone({ policy, strict, forced, evaluation }: Evidence): string[] {
  if (forced === true) return [FORCED_REASON]
  if (evaluation === null) return [FIRST_PROMOTION_REASON]
  const { baseline, candidate } = measuredSides(evaluation, 1)
  const label = confidenceOf(baseline.runs, candidate.runs, evaluation.thresholds)
  const { statistics } = evaluation
  return [
    ...policyReasons(policy, candidate, label, statistics && decideLimits(policy, statistics), [], 1),
    ...(strict === true ? unmeasuredLimits(policy, candidate) : []),
  ]
}

function policyAndGates(evidence: Evidence, decided: Decided, demanded: readonly string[]): string[] {
  const { policy, policy_scope: scope, strict, forced, evaluation, evaluated_at, gates } = evidence
  if (forced === true) return [FORCED_REASON]
  const blocked = [...(gates === undefined ? [] : gateReasons(gates, decided, evaluated_at)), ...demanded]
  if (evaluation === null) return blocked.length > 0 ? blocked : [FIRST_PROMOTION_REASON]
  const { baseline, candidate } = measuredSides(evaluation, evidence.rules_version)
  const label = confidenceOf(baseline.runs, candidate.runs, evaluation.thresholds)
  const limits = evaluation.statistics && decideLimits(policy, evaluation.statistics)
  return [
    ...policyReasons(policy, candidate, label, limits, scope?.rules, evidence.rules_version),
    ...(strict === true ? unmeasuredLimits(policy, candidate, scope?.rules) : []),
    ...blocked,
  ]
}

/** Both sides of an evaluation, measured by its sums and rates, as rules of a version see them. */
export function measuredSides(
  { baseline, candidate }: { baseline: SideEvidence; candidate: SideEvidence },
  rulesVersion = RULES_VERSION,
): {
  readonly baseline: SideMetrics
  readonly candidate: SideMetrics
} {
  return { baseline: measured(baseline, rulesVersion), candidate: measured(candidate, rulesVersion) }
}

function measured({ variants, rates }: SideEvidence, rulesVersion: number): SideMetrics {
  const metrics = sideMetrics(variants, new Map(rates.map(entry => [entry.model, entry])))
  const { has_tokens: _, ...before } = metrics
  return rulesVersion < 3 ? before : metrics
}
