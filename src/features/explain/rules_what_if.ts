import { firstFew } from '../../base/text.ts'
import type { DiffStatistics, ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { unpricedModels } from '../../rules/cost.ts'
import {
  type EvaluatedEvidence,
  type Evidence,
  type Thresholds,
  resolveThresholds,
} from '../../rules/evidence.ts'
import {
  CHANGE_LIMITS,
  SEGMENT_LIMITS,
  SCORE_LIMITS,
  TAIL_LIMITS,
  TAIL_RISES,
  FURTHER_LIMITS,
  furtherChange,
  isOfSuite,
} from '../../rules/limits.ts'
import { FORCED_REASON } from '../../rules/result.ts'
import { settingsOf } from '../../rules/statistics/metric.ts'
import {
  type ConditionEvidence,
  type ConditionRule,
  type DecidedRelease,
  judgeEvidence,
} from '../../rules/judge.ts'
import { rollbackPolicy } from '../../rules/rollback.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import { type Question, evidenceFor, policyFrom } from './rules_weigh.ts'

/** What a policy would have decided. */
export interface Supposed {
  /** Null where the evidence doesn't tell: nothing that it knows blocks, and of a limit it knows nothing. */
  readonly passed: boolean | null
  readonly reasons: readonly string[]
  /** What the evidence doesn't tell. */
  readonly unknown: readonly string[]
}

/** A condition as it is judged and explained. */
interface ExplainedCondition extends ConditionRule {
  readonly explained: (evidence: ConditionEvidence, decided: DecidedRelease) => readonly ExplainedLimit[]
}

/** Decides on evidence by another policy, by the rules of this version. Conditions of service.yaml decide as they did. */
export function suppose(
  evidence: Evidence,
  decided: DecidedRelease,
  question: Question,
  conditions: readonly ExplainedCondition[],
): Supposed {
  if (evidence.forced === true) return { passed: false, reasons: [FORCED_REASON], unknown: [] }
  const rows = conditions.flatMap(({ explained }) =>
    explained(policyFrom(evidence, question.effective), decided),
  )
  const unexplained = rows.flatMap(({ passed: known, why }) => (known === null && why !== null ? [why] : []))
  const unknown = [...question.unknown.values(), ...unexplained]
  const { passed, reasons } = judgeEvidence(evidenceFor(evidence, question), decided, conditions)
  return { passed: passed && unknown.length > 0 ? null : passed, reasons, unknown }
}

/**
 * What it takes to decide on evidence by another policy. Sample sizes that it leaves open are those that the workspace
 * had then; `now` is what it has now, for a first promotion.
 */
export function supposedQuestion(
  { policy, evaluation, gates = {} }: Evidence,
  effective: StoredPolicy,
  now: Thresholds,
  { action, conditions }: Conditioned = UNCONDITIONED,
): Question {
  if (evaluation === null) return { effective, thresholds: now, statistics: undefined, unknown: new Map() }
  const thresholds = resolveThresholds(effective.policy, evaluation.workspace_thresholds)
  const isRollback = action === 'rollback'
  const statistics = withLeastRuns(evaluation.statistics, effective.policy, thresholds)
  return {
    effective,
    thresholds,
    statistics: isRollback ? { ...statistics, of_rollback: true } : statistics,
    unknown: new Map([
      ...unknownIn(statistics, isRollback ? rollbackPolicy(effective.policy) : effective.policy, policy),
      ...unpriced(evaluation, effective.policy),
      ...(isRollback ? [] : unasked(effective.policy, gates, conditions)),
    ]),
  }
}

/** The conditions of features that a decision may have had to meet: those of promotions alone. */
interface Conditioned {
  readonly action: 'promote' | 'rollback'
  readonly conditions: readonly ConditionRule[]
}

const UNCONDITIONED: Conditioned = { action: 'promote', conditions: [] }

/** Intervals don't depend on the fewest runs for a claim, but whether they claim anything does. */
function withLeastRuns(
  statistics: DiffStatistics,
  { sequential = false }: Policy,
  { min_low_runs }: Thresholds,
): DiffStatistics {
  const leastRuns = (min_runs: number): number => settingsOf({ sequential, min_runs }, 0).min_runs
  const min_runs = leastRuns(min_low_runs)
  const { tools, scores, ttft_ms } = statistics
  return {
    ...statistics,
    cost_per_run_usd: { ...statistics.cost_per_run_usd, min_runs },
    latency_ms: { ...statistics.latency_ms, min_runs },
    error_rate: { ...statistics.error_rate, min_runs },
    tools: tools && { ...tools, calls_per_run: { ...tools.calls_per_run, min_runs } },
    ...(ttft_ms === undefined ? {} : { ttft_ms: { ...ttft_ms, change: { ...ttft_ms.change, min_runs } } }),
    ...(scores === undefined
      ? {}
      : {
          scores: scores.map(score => ({
            ...score,
            change: { ...score.change, min_runs: isOfSuite(score.name) ? leastRuns(0) : min_runs },
          })),
        }),
  }
}

/** Limits that the decision's figures don't serve, and why; `decided` is the policy that it was made by. */
function unknownIn(statistics: DiffStatistics, policy: Policy, decided: Policy): [string, string][] {
  const wanted = policy.sequential === true ? 'sequential' : 'fixed'
  const isOther = ({ interval, difference }: { interval: string; difference: unknown }): boolean =>
    difference !== null && interval !== wanted
  const why = (key: keyof Policy, problem: string | undefined): [string, string][] =>
    policy[key] == null || problem === undefined ? [] : [[key, `${key} can't be told: ${problem}`]]
  const { scores = [], compare_by } = statistics
  const [byThen, byNow] = [decided.compare_by ?? 'time', policy.compare_by ?? 'time']
  // Rollbacks are judged over the window, and rollouts by their arms, whatever the policy says.
  const isByPolicy = compare_by !== undefined && compare_by !== 'rollout'
  const isUnlike = isByPolicy && byThen !== byNow && compare_by !== byNow
  const [groupedThen, groupedNow] = [decided.cluster_by ?? 'time', policy.cluster_by ?? 'time']
  const isGroupedUnlike =
    compare_by !== 'rollout' && groupedThen !== groupedNow && statistics.cluster_by !== groupedNow
  const unlike = (metric: { interval: string; difference: unknown }): string | undefined =>
    isUnlike
      ? OTHER_COMPARED[byNow]
      : isGroupedUnlike
        ? `this policy groups runs by ${groupedNow}, and the decision by ${statistics.cluster_by}`
        : isOther(metric)
          ? OTHER_INTERVALS[wanted]
          : undefined
  return [
    ...CHANGE_LIMITS.flatMap(({ key, metric }) => why(key, unlike(statistics[metric]))),
    ...TAIL_LIMITS.flatMap(({ key, time }) =>
      why(key, statistics[`${time}_percentiles`] == null ? NOT_MEASURED : undefined),
    ),
    ...TAIL_RISES.flatMap(({ key, time }) =>
      why(key, statistics[`${time}_percentile_changes`] == null ? NOT_MEASURED : undefined),
    ),
    ...SEGMENT_LIMITS.flatMap(({ key }) =>
      why(key, statistics.segment_regressions === undefined ? NOT_MEASURED : undefined),
    ),
    ...FURTHER_LIMITS.flatMap(({ key, metric }) => {
      const change = furtherChange(metric, statistics)
      return why(key, change === undefined ? NOT_MEASURED : unlike(change))
    }),
    ...SCORE_LIMITS.flatMap(key => {
      const limited = scores.filter(({ name }) => Object.hasOwn(policy[key] ?? {}, name))
      const isOfOther = limited.some(
        ({ candidate, change }) => candidate !== null && change.interval !== wanted,
      )
      return why(key, isOfOther ? OTHER_INTERVALS[wanted] : undefined)
    }),
  ]
}

const NOT_MEASURED = "it wasn't measured, because no policy limited it then"
const OTHER_COMPARED = {
  tenant: 'this policy compares by tenant, which the decision did not measure',
  task: 'this policy compares by task, which the decision did not measure',
  time: 'the decision compared all runs of the window, and this policy compares shared time',
  window: 'the decision compared shared time, and this policy compares all runs of the window',
} as const
const OTHER_INTERVALS = {
  sequential: 'the intervals of the decision are for one check, and this policy wants sequential ones',
  fixed: 'the intervals of the decision are sequential, and this policy wants those for one check',
} as const

/** Keys that conditions of features judge by, and that no policy had when the decision was made. */
function unasked(
  policy: Policy,
  gates: NonNullable<Evidence['gates']>,
  conditions: readonly ConditionRule[],
): [string, string][] {
  return conditions
    .flatMap(({ keeps }) => keeps)
    .filter(key => policy[key as keyof Policy] != null && !(key in gates))
    .map(key => [key, `${key} is unknown: no policy limited it then`])
}

/** Runs without a price, which another policy let pass. */
function unpriced({ baseline, candidate }: EvaluatedEvidence, policy: Policy): [string, string][] {
  if (policy.unpriced === 'exclude') return []
  const models = [baseline, candidate].flatMap(({ variants, rates }) =>
    unpricedModels(variants, new Map(rates.map(entry => [entry.model, entry]))),
  )
  if (models.length === 0) return []
  return [['unpriced', `there was no price for ${firstFew([...new Set(models)])}, which this policy refuses`]]
}
