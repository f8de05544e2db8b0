import type { ExplainedLimit } from '../models/answers/statistics.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { ConditionEvidence, ConditionRule, DecidedRelease } from './judge.ts'

/** How a key of the policy came out that a condition of a feature judges by. */
export interface JudgedKey {
  readonly policy_key: string
  readonly metric: string
  readonly value: number | string | null
  readonly limit: number | string
  /** Null where evidence doesn't tell, which only happens by another policy than that of the decision. */
  readonly passed: boolean | null
  /** Why it blocks or isn't known; where it passes, what to mind, if anything. */
  readonly text: string | null
}

type JudgeKeys = (evidence: ConditionEvidence, decided: DecidedRelease) => readonly JudgedKey[]

/** The parts of a condition that follow from how each of its keys came out. */
export function conditionBy(keeps: readonly (keyof Policy)[], judgeKeys: JudgeKeys) {
  const texts =
    (passed: boolean): ConditionRule['reasons'] =>
    (evidence, decided) =>
      judgeKeys(evidence, decided).flatMap(row =>
        row.passed === passed && row.text !== null ? [row.text] : [],
      )
  return {
    keeps,
    reasons: texts(false),
    warnings: texts(true),
    explained: (evidence: ConditionEvidence, decided: DecidedRelease) =>
      judgeKeys(evidence, decided).map(explainedRow),
  }
}

function explainedRow({ text, passed, ...row }: JudgedKey): ExplainedLimit {
  return {
    ...row,
    low: null,
    high: null,
    baseline_runs: null,
    candidate_runs: null,
    verdict: passed === null ? 'unknown' : passed ? 'pass' : 'fail',
    passed,
    why: passed === true ? null : text,
  }
}
