import type { Comparison } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import type { Policy, PolicyScope, PolicyVerdict } from '../../models/documents/policy.ts'
import { type TimePlan, overWindowWarnings } from '../../rules/common_time.ts'
import { compareSides } from '../../rules/cost.ts'
import { type StatisticsQuestion, diffStatistics } from '../../rules/diff_statistics.ts'
import { changeLimits, waivedLimits } from '../../rules/limits.ts'
import { judge } from '../../rules/judge.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import type { ConfidenceLabel, Thresholds } from '../../rules/evidence.ts'
import { incompleteWarnings, thinLimits, unlimitedErrors, unmeasuredLimits } from '../../rules/policy.ts'
import { isoTime } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import type { Side } from './sides.ts'
import { firstFew } from '../../base/text.ts'
import { missingWarnings } from '../../rules/suite_limits.ts'
import { leftOutText } from '../../rules/left_out.ts'

/** What the policy says of two priced sides, with all that led to it. */
export interface Evaluation {
  readonly policy: Policy
  /** Undefined where the policy has no overrides. */
  readonly scope: PolicyScope | undefined
  readonly thresholds: Thresholds
  readonly label: ConfidenceLabel
  readonly metrics: Comparison
  readonly statistics: DiffStatistics
  /** Undefined where the sides were not compared by time. */
  readonly plan: TimePlan | undefined
  readonly verdict: PolicyVerdict
}

type Requested = Partial<StatisticsQuestion> &
  Pick<StatisticsQuestion, 'window'> & {
    /** Why a promotion is blocked whatever the policy says. */
    readonly blocked?: readonly string[]
  }

/** Evaluates a policy on two sides. Pure but for the workspace's thresholds and the time it is stamped with. */
export function evaluate(
  { workspace }: Pick<Ledger, 'workspace'>,
  { policy, scope }: StoredPolicy,
  sides: { baseline: Side; candidate: Side },
  evaluatedAt: number,
  { sequential = policy.sequential ?? false, blocked = [], ...requested }: Requested,
): Evaluation {
  const { baseline, candidate } = sides
  const thresholds = resolveThresholds(policy, workspace.diff)
  const isRollback = requested.over_window === true
  const strict = workspace.strict && !isRollback
  const statistics = diffStatistics(baseline, candidate, { ...requested, policy, thresholds, sequential })
  const rules = scope?.rules ?? []
  const { passed, result, reasons, label } = judge({
    policy,
    rules,
    strict,
    isRollback,
    measured: {
      baseline: baseline.metrics,
      candidate: candidate.metrics,
      thresholds,
      limits: statistics.limits,
    },
    blocked,
  })
  const latencyRuns = {
    runs: candidate.metrics.runs,
    latencies: statistics.latency_ms.candidate_runs,
    min_low_runs: thresholds.min_low_runs,
  }
  const warnings = [
    ...(strict ? [] : unmeasuredLimits(policy, candidate.metrics, rules)),
    ...waivedLimits(statistics.limits, rules, statistics),
    ...thinLimits(policy, latencyRuns, rules),
    ...(isRollback ? [] : unlimitedErrors(policy, statistics.error_rate)),
    ...missingWarnings(statistics.scores ?? []),
    ...(requested.plan === undefined && requested.clusters === undefined && changeLimits(policy).length > 0
      ? overWindowWarnings(statistics.error_rate, isRollback)
      : []),
    ...leftOutWarnings(baseline, 'baseline'),
    ...leftOutWarnings(candidate, 'candidate'),
    ...incompleteWarnings({ baseline: baseline.metrics, candidate: candidate.metrics }),
    ...droppedWarnings(baseline, 'baseline'),
    ...droppedWarnings(candidate, 'candidate'),
    ...excludedWarnings(baseline, 'baseline'),
    ...excludedWarnings(candidate, 'candidate'),
  ]
  return {
    policy,
    scope,
    thresholds,
    label: label!,
    metrics: compareSides(baseline.metrics, candidate.metrics),
    statistics,
    plan: statistics.compare_by === 'time' ? requested.plan : undefined,
    verdict: {
      passed,
      result,
      reasons,
      evaluated_at: isoTime(evaluatedAt),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  }
}

/** Runs whose tokens a recorder didn't know: the long and odd ones more often than others. */
function droppedWarnings({ droppedRuns, metrics }: Side, label: string): string[] {
  if (droppedRuns === 0) return []
  return [
    `${label}: recorders left out ${droppedRuns} runs beside the ${metrics.runs} that are counted: their logs say why`,
  ]
}

/** What the policy lets a side's cost leave out: runs of models without a price, and tokens of such models. */
function excludedWarnings(side: Side, label: string): string[] {
  const { release, metrics, excluded, parts, rates } = side
  const why = `because ${tableOf(release)} has no price for ${firstFew(excluded.models)}`
  const warnings: string[] = []
  if (excluded.runs > 0) {
    const share = ((100 * excluded.runs) / metrics.runs).toFixed(1)
    warnings.push(
      `${label}: ${excluded.runs} of ${metrics.runs} runs (${share} %) are left out of the cost, ${why} and the ` +
        'policy says unpriced: exclude',
    )
  }
  // Sums by model don't say which runs a part is of.
  if (excluded.runs > 0 && parts.some(({ model }) => rates.has(model))) {
    warnings.push(
      `${label}: what those runs used beside their own model counts where it has a price, so the cost per run may be ` +
        'too high',
    )
  }
  if (excluded.parts > 0) {
    warnings.push(
      `${label}: tokens that ${excluded.parts} of ${metrics.runs} runs used beside their own model are left out of the ` +
        `cost, ${why} and the policy says unpriced: exclude`,
    )
  }
  return warnings
}

/** What was left out of a side so that it could be decided on. */
function leftOutWarnings({ leftOut }: Side, label: string): string[] {
  if (leftOut === undefined) return []
  const warning = `${label}: left out ${leftOutText(leftOut)}`
  return [`${warning}; percentiles of the latency, calls of tools and scores still count them`]
}

/** Reads of a cache that has no rate. */
export function freeReadWarnings({ release, rates, variants }: Side, label: string): string[] {
  const free = variants.filter(
    ({ model, cached_input_tokens }) =>
      cached_input_tokens > 0 && rates.get(model)?.cached_input_usd_per_1k_tokens === null,
  )
  if (free.length === 0) return []
  const models = [...new Set(free.map(({ model }) => model))]
  return [
    `${label}: cached input tokens of ${firstFew(models)} cost nothing, because ${tableOf(release)} has no rate for ` +
      'them (cached_input_usd_per_1k_tokens)',
  ]
}

function tableOf({ provider, pricing_version }: Side['release']): string {
  return `${provider}/${pricing_version}`
}
