import type { Comparison } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import type { Policy, PolicyScope, PolicyVerdict } from '../../models/documents/policy.ts'
import { type TimePlan, overWindowWarnings, sharedWindow } from '../../rules/common_time.ts'
import { compareSides } from '../../rules/cost.ts'
import { type MeasuredBy, type StatisticsQuestion, diffStatistics } from '../../rules/diff_statistics.ts'
import { changeLimits, waivedLimits } from '../../rules/limits.ts'
import { judge } from '../../rules/judge.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import type { ConfidenceLabel, Thresholds } from '../../rules/evidence.ts'
import { incompleteWarnings, thinLimits, unlimitedErrors, unmeasuredLimits } from '../../rules/policy.ts'
import { isoTime } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import { clustersFor } from './clusters.ts'
import { type ReadComparison, keptOf } from './comparison.ts'
import { type Side, type SideLabels, type Sides, pricedSides } from './sides.ts'
import { firstFew } from '../../base/text.ts'
import { missingWarnings } from '../../rules/suite_limits.ts'
import { type OnUnusable, leftOutText } from '../../rules/left_out.ts'
import { type OfSides, missingEvidence } from '../../rules/missing_evidence.ts'

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

/** Two releases as one snapshot saw them, with their prices and all that their measures take. */
export interface Reading<M = unknown> extends Omit<ReadComparison<M>, 'sides' | 'measures' | 'extras'> {
  readonly sides: Sides
  readonly measured: readonly MeasuredBy[]
  /** Why the measures keep the sides from being compared by time. */
  readonly apart: readonly string[]
}

/** Prices what was read of two releases. Throws 400 where a side can't be priced. */
export async function pricedReading<M>(
  ledger: Ledger,
  { measures: { measures }, extras, ...found }: ReadComparison<M>,
  labels: SideLabels,
  policy: Policy,
  onUnusable?: OnUnusable,
): Promise<Reading<M>> {
  const sides = await pricedSides(ledger, found.query, found.sides, labels, policy, onUnusable)
  const measured = measures.map(each => each.measured(ledger, found.query, sides, extras[each.name] as never))
  return {
    ...found,
    sides,
    measured: await Promise.all(measured),
    apart: measures.flatMap(({ name, apart }) => apart?.(extras[name] as never) ?? []),
  }
}

/** What a caller asks of a reading. */
export interface JudgeQuestion extends Partial<
  Pick<StatisticsQuestion, 'arms' | 'sequential' | 'over_window' | 'compare_by' | 'comparisons'>
> {
  /** Epoch ms. */
  readonly now: number
  /** Why a promotion is blocked whatever the policy says. */
  readonly blocked?: readonly string[]
}

/** Judges a reading by a policy. Pure. */
export function judgeReading(
  { diff, strict: isStrict }: Ledger['workspace'],
  { policy, scope }: StoredPolicy,
  { query, sides, plan, measured, apart, by, clusters: read, fed }: Reading,
  { now, sequential = policy.sequential ?? false, blocked = [], ...question }: JudgeQuestion,
): Evaluation {
  const { baseline, candidate } = sides
  const thresholds = resolveThresholds(policy, diff)
  const isRollback = question.over_window === true
  const strict = isStrict && !isRollback
  const clusters = clustersFor(by, read, keptOf(fed))
  const statistics = diffStatistics(baseline, candidate, {
    ...question,
    policy,
    thresholds,
    sequential,
    window: query.window,
    plan,
    apart,
    ...clusters,
    extras: measured,
  })
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
    ...(plan === undefined && by === undefined && changeLimits(policy).length > 0
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
    plan: statistics.compare_by === 'time' ? plan : undefined,
    verdict: {
      passed,
      result,
      reasons,
      evaluated_at: isoTime(now),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  }
}

/** The verdict of an evaluation, with what is missing where it lacks nothing but evidence, at so many runs per hour. */
export function withMissingEvidence(
  { verdict, policy, thresholds, label, statistics, plan }: Evaluation,
  { query: { window }, sides }: Pick<Reading, 'query' | 'sides'>,
  per_hour: OfSides,
): PolicyVerdict {
  if (verdict.result !== 'not_yet') return verdict
  const isApart = statistics.limits.some(limit => limit.inconclusive_because === 'not_comparable')
  const missing = missingEvidence({
    policy,
    thresholds,
    label,
    statistics,
    runs: { baseline: sides.baseline.metrics.runs, candidate: sides.candidate.metrics.runs },
    per_hour,
    window,
    shared: isApart ? sharedWindow(sides.candidate.aggregates, statistics.error_rate, plan, window) : null,
  })
  return missing === undefined ? verdict : { ...verdict, missing_evidence: missing }
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
