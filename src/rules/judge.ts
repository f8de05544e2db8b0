import type { LimitResult } from '../models/answers/statistics.ts'
import type { Policy, Result } from '../models/documents/policy.ts'
import { type SideMetrics, sideMetrics } from './cost.ts'
import {
  type ConfidenceLabel,
  type Evidence,
  RULES_VERSION,
  type SideEvidence,
  type Thresholds,
  confidenceOf,
} from './evidence.ts'
import { decideLimits } from './limits.ts'
import { incompleteReasons, policyReasons, unmeasuredLimits } from './policy.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON, resultOf } from './result.ts'
import type { PolicyRule } from './scope.ts'

/** All that a verdict rests on. */
export interface Facts {
  readonly policy: Policy
  /** Which override set which of its keys. */
  readonly rules: readonly PolicyRule[]
  /** Whether a limit on what has no data blocks. */
  readonly strict: boolean
  /** What both sides measured; null for a first promotion, which compares nothing. */
  readonly measured: MeasuredFacts | null
  /** Whether it is a rollback, which no missing evidence holds up. */
  readonly isRollback?: boolean
  /** Why it is blocked whatever the policy says. */
  readonly blocked: readonly string[]
}

interface MeasuredFacts {
  readonly baseline: SideMetrics
  readonly candidate: SideMetrics
  readonly thresholds: Thresholds
  /** What the limits that intervals decide came to. */
  readonly limits: readonly LimitResult[]
}

interface JudgedDecision {
  readonly passed: boolean
  readonly reasons: string[]
  readonly result: Result
  /** Null for a first promotion. */
  readonly label: ConfidenceLabel | null
}

/** The one judgement of the service: comparisons, gates, decisions, replays and trials of policies all come here. Pure. */
export function judge({ policy, rules, strict, measured, isRollback, blocked }: Facts): JudgedDecision {
  if (measured === null) {
    const reasons = blocked.length > 0 ? [...blocked] : [FIRST_PROMOTION_REASON]
    return { ...concluded(reasons), label: null }
  }
  const { baseline, candidate, thresholds, limits } = measured
  const label = confidenceOf(baseline.runs, candidate.runs, thresholds)
  const reasons = [
    ...policyReasons(policy, candidate, label, limits, rules),
    ...(strict ? unmeasuredLimits(policy, candidate, rules) : []),
    ...(isRollback === true ? [] : incompleteReasons(policy, { baseline, candidate })),
    ...blocked,
  ]
  return { ...concluded(reasons), label }
}

function concluded(reasons: string[]): Omit<JudgedDecision, 'label'> {
  const passed = isPassed(reasons)
  return { passed, reasons, result: resultOf({ passed, reasons }) }
}

/** Whether a limit on what has no data blocks: in a strict workspace, but no rollback. */
function blocksUnmeasured({ strict, evaluation }: Pick<Evidence, 'strict' | 'evaluation'>): boolean {
  return strict === true && evaluation?.statistics.of_rollback !== true
}

/** Whether reasons are those of a decision that passed. */
export function isPassed(reasons: readonly string[]): boolean {
  return reasons.length === 0 || (reasons.length === 1 && reasons[0] === FIRST_PROMOTION_REASON)
}

/** What of a decision isn't in its evidence. */
export interface DecidedRelease {
  readonly release_id: string
  readonly environment: string
}

/** What of evidence conditions judge by. */
export type ConditionEvidence = Pick<
  Evidence,
  'gates' | 'evaluated_at' | 'policy' | 'policy_scope' | 'strict'
>

/** A rule that a promotion has to meet besides the limits of the policy. Pure, so that replays can ask it. */
export interface ConditionRule {
  /** What evidence keeps of it, under `gates`. */
  readonly keeps: readonly string[]
  /** Why it blocks. */
  readonly reasons: (evidence: ConditionEvidence, decided: DecidedRelease) => readonly string[]
}

/**
 * Decides again from evidence alone, by the rules of the version that made the decision: the reasons that it gives.
 * Undefined where this program doesn't have those rules: they are newer, or of a feature that it was built without.
 */
export function replayReasons(
  evidence: Evidence,
  decided: DecidedRelease,
  conditions: readonly ConditionRule[],
): string[] | undefined {
  if (evidence.rules_version > RULES_VERSION) return undefined
  const known = new Set(conditions.flatMap(({ keeps }) => keeps))
  if (Object.keys(evidence.gates ?? {}).some(key => !known.has(key))) return undefined
  if (evidence.forced === true) return [FORCED_REASON]
  return judgeEvidence(evidence, decided, conditions).reasons
}

/** Judges evidence by the policy that it names. */
export function judgeEvidence(
  evidence: Evidence,
  decided: DecidedRelease,
  conditions: readonly ConditionRule[],
): JudgedDecision {
  const blocked = conditions.flatMap(({ reasons }) => reasons(evidence, decided))
  return judge({ ...factsIn(evidence), blocked })
}

/** The facts that evidence holds. */
export function factsIn(evidence: Evidence) {
  const { policy, policy_scope, evaluation } = evidence
  return {
    policy,
    rules: policy_scope?.rules ?? [],
    strict: blocksUnmeasured(evidence),
    isRollback: evaluation?.statistics.of_rollback === true,
    measured: evaluation && {
      baseline: measuredSide(evaluation.baseline),
      candidate: measuredSide(evaluation.candidate),
      thresholds: evaluation.thresholds,
      limits: decideLimits(policy, evaluation.statistics),
    },
  } satisfies Omit<Facts, 'blocked'>
}

/** A side of an evaluation, measured by its sums and rates. */
function measuredSide({ variants, rates }: SideEvidence): SideMetrics {
  return sideMetrics(variants, new Map(rates.map(entry => [entry.model, entry])))
}
