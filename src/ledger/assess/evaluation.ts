import type { Comparison } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import type { Policy, PolicyScope, PolicyVerdict } from '../../models/documents/policy.ts'
import { overWindowWarnings } from '../../rules/comparability.ts'
import type { TimePlan } from '../../rules/common_time.ts'
import { compareSides } from '../../rules/comparison.ts'
import {
  type ConfidenceLabel,
  type Thresholds,
  confidenceOf,
  resolveThresholds,
} from '../../rules/confidence.ts'
import { type StatisticsQuestion, diffStatistics } from '../../rules/diff_statistics.ts'
import { changeLimits, waivedLimits } from '../../rules/limits.ts'
import { policyReasons, thinLimits, unmeasuredLimits } from '../../rules/policy.ts'
import { isoTime } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import { excludedWarnings, leftOutWarnings } from './cost_warnings.ts'
import type { Side } from './sides.ts'

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

type Asked = Partial<StatisticsQuestion> & Pick<StatisticsQuestion, 'window'>

/** Evaluates a policy on two sides. Pure but for the workspace's thresholds and the time it is stamped with. */
export function evaluate(
  { workspace }: Pick<Ledger, 'workspace'>,
  { policy, scope }: HeldPolicy,
  sides: { baseline: Side; candidate: Side },
  evaluatedAt: number,
  { sequential = policy.sequential ?? false, ...asked }: Asked,
): Evaluation {
  const { baseline, candidate } = sides
  const thresholds = resolveThresholds(policy, workspace.diff)
  const label = confidenceOf(baseline.metrics.runs, candidate.metrics.runs, thresholds)
  const statistics = diffStatistics(baseline, candidate, { ...asked, policy, thresholds, sequential })
  const unmeasured = unmeasuredLimits(policy, candidate.metrics, scope?.rules)
  const reasons = policyReasons(policy, candidate.metrics, label, statistics.limits, scope?.rules)
  if (workspace.strict) reasons.push(...unmeasured)
  const latencyRuns = {
    runs: candidate.metrics.runs,
    latencies: statistics.latency_ms.candidate_runs,
    min_low_runs: thresholds.min_low_runs,
  }
  const warnings = [
    ...(workspace.strict ? [] : unmeasured),
    ...waivedLimits(statistics.limits, scope?.rules),
    ...thinLimits(policy, latencyRuns, scope?.rules),
    ...(asked.plan === undefined && asked.clusters === undefined && changeLimits(policy).length > 0
      ? overWindowWarnings(statistics.error_rate, asked.over_window === true)
      : []),
    ...leftOutWarnings(baseline, 'baseline'),
    ...leftOutWarnings(candidate, 'candidate'),
    ...excludedWarnings(baseline, 'baseline'),
    ...excludedWarnings(candidate, 'candidate'),
  ]
  return {
    policy,
    scope,
    thresholds,
    label,
    metrics: compareSides(baseline.metrics, candidate.metrics),
    statistics,
    plan: statistics.compare_by === 'time' ? asked.plan : undefined,
    verdict: {
      passed: reasons.length === 0,
      reasons,
      evaluated_at: isoTime(evaluatedAt),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  }
}
