import { UNPROVEN } from './result.ts'
import { distinctDecimals } from '../base/numbers.ts'
import type { DiffStatistics, LimitResult } from '../models/answers/statistics.ts'
import { LIMITS, type Limit, type TimeName, limitOf, limitsOn } from '../models/limits.ts'
import type { Policy } from '../models/documents/policy.ts'
import { type PolicyRule, ruleText } from './scope.ts'
import { type CausedMetric, causeText } from './cause_words.ts'
import { rollbackPolicy } from './rollback.ts'
import {
  type LimitDecision,
  type OnInconclusive,
  decideChange,
  decideDrop,
  decideFloor,
  decideRise,
  decideValue,
  withoutSuccess,
} from './statistics/decide.ts'
import { isSuiteFloor, suiteLimits, suiteMetrics, unlessMissing } from './suite_limits.ts'
import { type Doubt, type MetricStatistics, isComparabilityDoubt } from './statistics/metric.ts'

/** Limits of a policy on how much a metric may rise, in the order in which they are decided. */
export const CHANGE_LIMITS = limitsOn('change')

/** Limits of a policy on percentiles of the candidate's latency. */
export const TAIL_LIMITS = limitsOn('tail')

/** Limits of a policy on how much percentiles of the latency may rise. */
export const TAIL_RISES = limitsOn('tail_change')

/** Limits of a policy on how much a metric may rise for any tenant or task. */
export const SEGMENT_LIMITS = limitsOn('segment')

/** A stored policy without its limits on any tenant or task. */
export function withoutSegmentLimits<T extends { readonly policy: Policy }>(stored: T): T {
  const none = Object.fromEntries(SEGMENT_LIMITS.map(({ key }) => [key, null]))
  return { ...stored, policy: { ...stored.policy, ...none } }
}

/** Limits of a policy on how much a metric may rise that not all releases have. */
export const FURTHER_LIMITS = limitsOn('further_change')
type FurtherMetric = (typeof FURTHER_LIMITS)[number]['metric']

const MEAN_LIMITS = limitsOn('mean')

/** Limits by the name of a score. */
export const SCORE_LIMITS = ['min_scores', 'max_score_drop'] as const

/** What a rise is measured in: points of a rate, or a fraction of the baseline's mean. */
export function riseOf({ unit }: { readonly unit: 'rise' | 'points' }): 'difference' | 'relative_change' {
  return unit === 'points' ? 'difference' : 'relative_change'
}

/** A limit of a policy that is on. */
export interface PolicyLimit {
  readonly policy_key: string
  readonly metric: string
  /** USD, milliseconds, or a fraction. */
  readonly limit: number
}

/** All limits of a policy, or of an override, that are on. */
export function policyLimits(policy: Partial<Policy>): PolicyLimit[] {
  const limits = LIMITS.flatMap(row => {
    const limit = policy[row.key]
    return limit == null ? [] : [{ policy_key: row.key, metric: metricOf(row), limit }]
  })
  const scores = SCORE_LIMITS.flatMap(key =>
    Object.entries(policy[key] ?? {}).map(([name, limit]) => ({
      policy_key: `${key}.${name}`,
      metric: scoreMetric(key, name),
      limit,
    })),
  )
  const suites = Object.entries(policy.suites ?? {}).flatMap(([suite, rules]) => suiteMetrics(suite, rules))
  return [...limits, ...scores, ...suites]
}

function metricOf(limit: Limit): string {
  if (limit.on === 'tail') return `${limit.time}_${limit.percentile}_ms`
  if (limit.on === 'tail_change') return `${limit.time}_${limit.percentile}`
  return limit.on === 'segment' ? `segment regression ${limit.metric}` : limit.metric
}

type Measured = Pick<
  DiffStatistics,
  | (typeof CHANGE_LIMITS)[number]['metric']
  | `${TimeName}_percentiles`
  | `${TimeName}_percentile_changes`
  | 'ttft_ms'
  | 'tools'
  | 'scores'
  | 'suites'
  | 'segment_regressions'
  | 'of_rollback'
  | 'of_succeeded'
  | 'compared'
>

/** The keys of a policy's limits on a change that are on. */
export function changeLimits(policy: Policy): string[] {
  return [...CHANGE_LIMITS, ...TAIL_RISES, ...FURTHER_LIMITS].flatMap(({ key }) =>
    policy[key] == null ? [] : [key],
  )
}

/** How many limits of a policy are decided by intervals. */
export function intervalLimits(policy: Policy): number {
  const keys = [...CHANGE_LIMITS, ...TAIL_LIMITS, ...TAIL_RISES, ...FURTHER_LIMITS, ...MEAN_LIMITS]
  const scores = SCORE_LIMITS.flatMap(key => Object.keys(policy[key] ?? {}))
  const rates = Object.values(policy.suites ?? {}).filter(({ min_pass_rate }) => min_pass_rate !== undefined)
  return keys.filter(({ key }) => policy[key] != null).length + scores.length + rates.length
}

/** Whether it takes percentiles of a time to decide by a policy. */
export function limitsTails(policy: Policy, of: TimeName): boolean {
  return TAIL_LIMITS.some(({ key, time }) => time === of && policy[key] != null)
}

/** Whether it takes changes of percentiles of a time to decide by a policy. */
export function limitsTailRises(policy: Policy, of: TimeName): boolean {
  return TAIL_RISES.some(({ key, time }) => time === of && policy[key] != null)
}

/** Whether it takes calls of tools to decide by a policy. */
export function limitsTools(policy: Policy): boolean {
  return FURTHER_LIMITS.some(({ key, metric }) => metric === 'tool_calls_per_run' && policy[key] != null)
}

/** The change of a metric that not all releases have; undefined where it was not measured. */
export function furtherChange(
  metric: FurtherMetric,
  { ttft_ms, tools }: Pick<DiffStatistics, 'ttft_ms' | 'tools'>,
): MetricStatistics | undefined {
  return metric === 'ttft_ms' ? ttft_ms?.change : tools?.calls_per_run
}

/** The runs that tell a time. */
function runsOf(time: TimeName, { latency_ms, ttft_ms }: Measured): Counted {
  return time === 'latency' ? latency_ms : (ttft_ms?.change ?? NO_RUNS)
}

/** Whether a policy limits what may become worse for a tenant or task. */
export function limitsSegments(policy: Policy): boolean {
  return SEGMENT_LIMITS.some(({ key }) => policy[key] != null)
}

/** Decides each limit that a policy sets on a change or a percentile, by its interval. */
export function decideLimits(given: Policy, measured: Measured): LimitResult[] {
  const policy = measured.of_rollback === true ? rollbackPolicy(given) : given
  const onInconclusive: OnInconclusive = policy.on_inconclusive ?? 'block'
  const hasNothing = hasNoSuccess(measured)
  const changes = CHANGE_LIMITS.flatMap(({ key, metric, unit }) => {
    const of = riseOf({ unit })
    const limit = policy[key]
    if (limit == null) return []
    const statistics: MetricStatistics = measured[metric]
    const decision =
      hasNothing && metric !== 'error_rate' && statistics.candidate_runs > 0
        ? withoutSuccess(limit)
        : decideChange(statistics, { limit, of }, onInconclusive)
    return [withCause(resultOf(key, metric, decision, statistics), metric, measured)]
  })
  const means = MEAN_LIMITS.flatMap(({ key, metric }) => {
    const limit = policy[key]
    if (limit == null) return []
    const { candidate = null, change = NO_RUNS } = measured[metric] ?? {}
    const decision = decideValue(candidate, limit, onInconclusive)
    return [resultOf(key, metric, decision, { ...change, matched: null })]
  })
  const tails = TAIL_LIMITS.flatMap(({ key, time, percentile }) => {
    const limit = policy[key]
    if (limit == null) return []
    const { candidate = null } = measured[`${time}_percentiles`]?.[percentile] ?? {}
    const decision = decideValue(candidate, limit, onInconclusive)
    return [resultOf(key, `${time}_${percentile}_ms`, decision, { ...runsOf(time, measured), matched: null })]
  })
  const rises = TAIL_RISES.flatMap(({ key, time, percentile }) => {
    const limit = policy[key]
    const measuredRises = measured[`${time}_percentile_changes`]
    // It does not apply to a rollback.
    if (limit == null || measuredRises === null) return []
    const runs = runsOf(time, measured)
    const change = measuredRises?.[percentile]
    const { relative_change = null, inconclusive_because = 'no_data' } = change ?? {}
    const decision =
      hasNothing && runs.candidate_runs > 0
        ? withoutSuccess(limit)
        : decideRise(relative_change, inconclusive_because, limit, onInconclusive)
    return [resultOf(key, `${time}_${percentile}`, decision, { ...runs, matched: change })]
  })
  return [
    ...changes,
    ...means,
    ...tails,
    ...rises,
    ...segmentLimits(policy, measured.segment_regressions, onInconclusive),
    ...furtherLimits(policy, measured, onInconclusive),
    ...scoreLimits(policy, measured.scores ?? [], onInconclusive),
    ...suiteLimits(policy, measured, onInconclusive),
  ]
}

/**
 * Whether the baseline failed in each of its runs, of which there are enough for a claim. There is no rise from it then;
 * errors have their own limit.
 */
function hasNoSuccess({ of_succeeded, error_rate }: Measured): boolean {
  if (of_succeeded !== true) return false
  const { baseline_runs, baseline_mean, min_runs } = error_rate
  return baseline_mean === 1 && baseline_runs >= min_runs
}

/** A blocked limit with the cause for which its sides can't be compared. */
function withCause(result: LimitResult, metric: CausedMetric, measured: Measured): LimitResult {
  const { policy_key, limit, inconclusive_because: doubt, baseline_runs, candidate_runs } = result
  if (result.passed || measured.of_succeeded !== true || doubt === 'interval_too_wide') return result
  const cause = causeText(metric, measured, doubt)
  if (cause === undefined) return result
  const limited = `${policy_key} ${limitValue(policy_key, limit)}`
  return {
    ...result,
    reason:
      `${UNPROVEN}${metric}: not comparable yet against ${limited} (n ${baseline_runs} baseline, ` +
      `${candidate_runs} candidate; ${cause})`,
  }
}

/** The rise of a segment regression that is proven, in the unit of its limit: any from a baseline of 0. Null where none is. */
export function provenRise(spot: SegmentRegression): number | null {
  const of = riseOf(SEGMENT_LIMITS.find(({ metric }) => metric === spot.metric)!)
  return spot[of]?.low ?? (spot.baseline_mean === 0 ? Infinity : null)
}

/**
 * A limit on a rise for each blocks only where one is proven to be larger; the worst is named, by its id. Where runs could
 * not be separated nothing is known.
 */
function segmentLimits(
  policy: Policy,
  spots: Measured['segment_regressions'],
  onInconclusive: OnInconclusive,
): LimitResult[] {
  // They hold for no rollback, nor for a diff of one tenant or task.
  if (spots === undefined) return []
  return SEGMENT_LIMITS.flatMap(({ key, metric, unit }) => {
    const of = riseOf({ unit })
    const limit = policy[key]
    if (limit == null) return []
    if (spots === null)
      return [resultOf(key, metric, decideRise(null, 'no_data', limit, onInconclusive), NO_RUNS)]
    const proven = [...spots.found, ...(spots.with_the_whole ?? [])].filter(
      spot => spot.metric === metric && provenRise(spot) !== null,
    )
    const worst = proven.reduce<SegmentRegression | undefined>(
      (a, b) => (a === undefined || provenRise(b)! > provenRise(a)! ? b : a),
      undefined,
    )
    const { estimate = null, low = null, high = null } = worst?.[of] ?? {}
    const passed = worst === undefined || provenRise(worst)! <= limit
    return [
      {
        policy_key: key,
        metric: worst === undefined ? metric : `${metric} of ${worst.kind} ${worst.segment}`,
        passed,
        outcome: passed ? 'pass' : 'fail',
        inconclusive_because: null,
        decided_by: 'interval',
        limit,
        estimate,
        low,
        high,
        baseline_runs: worst?.baseline_runs ?? 0,
        candidate_runs: worst?.candidate_runs ?? 0,
      },
    ]
  })
}

type SegmentRegression = NonNullable<Measured['segment_regressions']>['found'][number]

function furtherLimits(policy: Policy, measured: Measured, onInconclusive: OnInconclusive): LimitResult[] {
  return FURTHER_LIMITS.flatMap(({ key, metric }) => {
    const limit = policy[key]
    if (limit == null) return []
    const statistics = furtherChange(metric, measured)
    // A run that fails has no answer to begin, but it may have called tools.
    const hasNothing = metric === 'ttft_ms' && hasNoSuccess(measured)
    const decision =
      statistics === undefined
        ? decideValue(null, limit, onInconclusive)
        : hasNothing && statistics.candidate_runs > 0
          ? withoutSuccess(limit)
          : decideChange(statistics, { limit, of: 'relative_change' }, onInconclusive)
    return [resultOf(key, metric, decision, statistics ?? NO_RUNS)]
  })
}

/** Whether a score is of cases, which are no runs. */
export function isOfSuite(name: string): boolean {
  return name.includes('/')
}

function scoreMetric(key: (typeof SCORE_LIMITS)[number], name: string): string {
  return key === 'min_scores' ? `score ${name}` : `drop of score ${name}`
}

function scoreLimits(
  policy: Pick<Policy, (typeof SCORE_LIMITS)[number] | 'suites'>,
  scores: NonNullable<Measured['scores']>,
  onInconclusive: OnInconclusive,
): LimitResult[] {
  return SCORE_LIMITS.flatMap(key =>
    Object.entries(policy[key] ?? {}).map(([name, limit]) => {
      const found = scores.find(score => score.name === name)
      const change: Counted = found?.change ?? NO_RUNS
      const isLeast = key === 'min_scores'
      const isEnough = found !== undefined && found.change.candidate_runs >= found.change.min_runs
      const decision =
        isLeast || found === undefined
          ? decideFloor(found?.candidate ?? null, { limit, isEnough }, onInconclusive)
          : decideDrop(found.change, limit, onInconclusive)
      const { not_comparable_because: because } = found ?? {}
      const result = {
        ...resultOf(
          `${key}.${name}`,
          scoreMetric(key, name),
          decision,
          isLeast ? { ...change, matched: null } : change,
        ),
        ...(because === undefined || isLeast ? {} : { not_comparable_because: because }),
      }
      return found === undefined ? result : unlessMissing(result, found, policy.suites)
    }),
  )
}

const NO_RUNS = { baseline_runs: 0, candidate_runs: 0 }

/** How many runs of each side, and how many of them are compared. */
type Counted = Readonly<Record<'baseline_runs' | 'candidate_runs', number>> & {
  readonly matched?: Pick<MetricStatistics, 'baseline_runs' | 'candidate_runs'> | null | undefined
}

/** With these nothing is compared, so that the runs of the window count. */
const NOT_COMPARED: ReadonlySet<Doubt | null> = new Set([
  'no_data',
  'no_success',
  'too_few_runs',
  'too_few_clusters',
  'not_comparable',
  'too_few_blocks',
] as const)

function resultOf(
  policy_key: string,
  metric: string,
  decision: LimitDecision,
  { matched, ...ofWindow }: Counted,
): LimitResult {
  const counted = NOT_COMPARED.has(decision.inconclusive_because) ? ofWindow : (matched ?? ofWindow)
  const { baseline_runs, candidate_runs } = counted
  return { policy_key, metric, ...decision, baseline_runs, candidate_runs }
}

/** The reasons why limits are not kept; each names metric, change, interval, limit and runs. */
export function limitReasons(results: readonly LimitResult[], rules: readonly PolicyRule[] = []): string[] {
  return results
    .filter(({ passed }) => !passed)
    .map(result => reasonOf(result) + ruleText(rules, ...keysOf(result)))
}

/** Limits that have nothing to compare, or sides that ran at other times, and pass undecided. */
export function waivedLimits(
  results: readonly LimitResult[],
  rules: readonly PolicyRule[] = [],
  measured?: Pick<Measured, CausedMetric | 'compared'>,
): string[] {
  const because = (result: LimitResult): string => {
    const change = CHANGE_LIMITS.find(({ key }) => key === result.policy_key)
    const cause = measured && change && causeText(change.metric, measured, result.inconclusive_because)
    return cause ?? doubtText(result)
  }

  return results
    .filter(
      ({ passed, decided_by, estimate, inconclusive_because }) =>
        passed &&
        decided_by === 'policy' &&
        (estimate === null || isComparabilityDoubt(inconclusive_because)),
    )
    .map(
      result =>
        `${result.policy_key} passes${result.inconclusive_because === 'no_success' ? '' : ' by on_inconclusive alone'}: ` +
        because(result) +
        ruleText(rules, ...keysOf(result)),
    )
}

/** How limits are kept that an interval decided, such as `cost_per_run_usd -2.7 % to +7.0 %, limit +10.0 %`. */
export function keptLimits(results: readonly LimitResult[]): string[] {
  return results.flatMap(({ outcome, policy_key, metric, limit, low, high }) => {
    const write = writerOf(policy_key)
    if (outcome !== 'pass' || low === null || high === null) return []
    return [`${metric} ${write(low, limit)} to ${write(high, limit)}, limit ${write(limit, limit)}`]
  })
}

/** What an override may set it by: suites are set together. */
function keysOf({ policy_key }: LimitResult): string[] {
  return policy_key.startsWith('suites.') ? ['suites'] : [policy_key]
}

function reasonOf(result: LimitResult): string {
  const { policy_key, metric, outcome, decided_by, baseline_runs, candidate_runs } = result
  if (result.reason !== undefined) return result.reason
  const write = writerOf(policy_key)
  const limit = `${policy_key} ${write(result.limit, result.limit)}`
  const runs = `n ${baseline_runs} baseline, ${candidate_runs} candidate`
  const beyond = `candidate ${metric} ${shown(result, write)} ${isFloor(policy_key) ? 'is below' : 'exceeds'} ${limit}`
  if (outcome === 'fail' && result.estimate === null) {
    return `candidate ${metric} rose from a baseline of 0, which exceeds ${limit} (${runs})`
  }
  if (outcome === 'fail') return `${beyond} (${runs})`
  if (decided_by === 'estimate') {
    return `${beyond} (${runs}; decided by the estimate alone: ${doubtText(result)})`
  }
  const isNothingShared = result.estimate === null && result.inconclusive_because === 'not_comparable'
  const found = isNothingShared ? 'nothing comparable' : shown(result, write)
  return `${UNPROVEN}${metric}: ${found} against ${limit} (${runs}; ${doubtText(result)})`
}

type Writer = (value: number, other: number) => string

/** What was compared with the limit, with its interval. */
function shown({ limit, estimate, low, high }: LimitResult, write: Writer): string {
  if (estimate === null) return 'no data'
  const end = (value: number | null, without: string): string =>
    value === null ? without : write(value, limit)
  return `${write(estimate, limit)} [${end(low, 'no lower bound')}, ${end(high, 'no upper bound')}]`
}

const PERCENT: Writer = (value, other) => `${signed(100 * value, 100 * other, 1)} %`
const POINTS: Writer = (value, other) => signed(value, other, 4)

const MILLISECONDS: Writer = value => value.toFixed(0)

const SCORE: Writer = (value, other) => distinctDecimals(value, other, 4)[0]

/** Whether a limit is on what may not be lower. */
export function isFloor(policyKey: string): boolean {
  return policyKey.startsWith(`${SCORE_LIMITS[0]}.`) || isSuiteFloor(policyKey)
}

function writerOf(policyKey: string): Writer {
  if (isSuiteFloor(policyKey) || SCORE_LIMITS.some(key => policyKey.startsWith(`${key}.`))) return SCORE
  const unit = limitOf(policyKey)?.unit
  if (unit === 'points') return POINTS
  return unit === 'rise' ? PERCENT : MILLISECONDS
}

/** A value of a limit in its unit, such as `+10.0 %` or `1500`. */
export function limitValue(policyKey: string, value: number): string {
  return writerOf(policyKey)(value, value)
}

function signed(value: number, other: number, digits: number): string {
  const [text] = distinctDecimals(value, other, digits)
  return value > 0 ? `+${text}` : text
}

/** Why a limit is not decided. */
export function doubtText({ inconclusive_because, not_comparable_because }: LimitResult): string {
  if (not_comparable_because === 'judges') return 'the imports were judged by different judges'
  return DOUBTS[inconclusive_because!]
}

const DOUBTS: Readonly<Record<Doubt, string>> = {
  no_data: 'one release has no data',
  no_success: 'the baseline has no successful run to compare with',
  too_few_runs: 'one release has too few runs to conclude',
  too_few_clusters: 'one release has too few sessions or tenants to conclude',
  not_comparable:
    'both releases share too little to be compared: run both at once, for the same tenants, as a rollout does, or keep 4 ' +
    'days of the baseline before the candidate',
  too_few_blocks:
    'the runs of one release are from fewer than 4 of the 24 blocks of time: let it run for longer, or choose a shorter window',
  skewed_small_candidate: 'few candidate runs of a skewed metric can block but not pass',
  skewed_small_baseline: 'few baseline runs of a skewed metric can pass but not block',
  baseline_is_zero: "the baseline's mean is 0",
  baseline_near_zero: "the baseline's mean may be 0",
  interval_too_wide: 'the interval contains the limit',
}
