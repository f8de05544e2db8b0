import { distinctDecimals } from '../base/numbers.ts'
import type { DiffStatistics, LimitResult } from '../models/answers/statistics.ts'
import type { Policy } from '../models/documents/policy.ts'
import { type LimitDecision, type OnInconclusive, decideChange, decideValue } from './statistics/decide.ts'
import type { Doubt, MetricStatistics } from './statistics/metric.ts'

/** Limits of a policy on how much a metric may rise, in the order in which they are decided. */
const CHANGE_LIMITS = [
  { key: 'max_cost_increase_pct', metric: 'cost_per_run_usd', of: 'relative_change' },
  { key: 'max_latency_increase_pct', metric: 'latency_ms', of: 'relative_change' },
  { key: 'max_error_rate_increase', metric: 'error_rate', of: 'difference' },
] as const

/** Limits of a policy on percentiles of the candidate's latency. */
const TAIL_LIMITS = [
  { key: 'max_latency_p95_ms', percentile: 'p95' },
  { key: 'max_latency_p99_ms', percentile: 'p99' },
] as const

/** The limit on how often runs call tools. */
const TOOL_LIMIT = 'max_tool_calls_increase_pct'

/** Limits of a policy on the candidate alone, which the specification names. */
const CANDIDATE_LIMITS = [
  { key: 'max_cost_per_run_usd', metric: 'cost_per_run_usd' },
  { key: 'max_latency_ms', metric: 'latency_ms' },
  { key: 'max_error_rate', metric: 'error_rate' },
] as const

/** A limit of a policy that is on. */
export interface PolicyLimit {
  readonly policy_key: string
  readonly metric: string
  /** USD, milliseconds, or a fraction. */
  readonly limit: number
}

/** All limits of a policy that are on. */
export function policyLimits(policy: Policy): PolicyLimit[] {
  const tails = TAIL_LIMITS.map(({ key, percentile }) => ({ key, metric: `latency_${percentile}_ms` }))
  const tools = { key: TOOL_LIMIT, metric: 'tool_calls_per_run' } as const
  return [...CANDIDATE_LIMITS, ...CHANGE_LIMITS, ...tails, tools].flatMap(({ key, metric }) => {
    const limit = policy[key]
    return limit == null ? [] : [{ policy_key: key, metric, limit }]
  })
}

type Measured = Pick<
  DiffStatistics,
  (typeof CHANGE_LIMITS)[number]['metric'] | 'latency_percentiles' | 'tools'
>

/** How many limits of a policy are decided by intervals. */
export function intervalLimits(policy: Policy): number {
  const keys = [...CHANGE_LIMITS, ...TAIL_LIMITS, { key: TOOL_LIMIT } as const]
  return keys.filter(({ key }) => policy[key] != null).length
}

/** Whether it takes percentiles to decide by a policy. */
export function limitsTails(policy: Policy): boolean {
  return TAIL_LIMITS.some(({ key }) => policy[key] != null)
}

/** Whether it takes calls of tools to decide by a policy. */
export function limitsTools(policy: Policy): boolean {
  return policy[TOOL_LIMIT] != null
}

/** Decides each limit that a policy sets on a change or a percentile, by its interval. */
export function decideLimits(policy: Policy, measured: Measured): LimitResult[] {
  const onInconclusive: OnInconclusive = policy.on_inconclusive ?? 'block'
  const changes = CHANGE_LIMITS.flatMap(({ key, metric, of }) => {
    const limit = policy[key]
    if (limit == null) return []
    const statistics: MetricStatistics = measured[metric]
    const decision = decideChange(statistics, { limit, of }, onInconclusive)
    return [resultOf(key, metric, decision, statistics)]
  })
  const tails = TAIL_LIMITS.flatMap(({ key, percentile }) => {
    const limit = policy[key]
    if (limit == null) return []
    const { candidate = null } = measured.latency_percentiles?.[percentile] ?? {}
    const decision = decideValue(candidate, limit, onInconclusive)
    return [resultOf(key, `latency_${percentile}_ms`, decision, measured.latency_ms)]
  })
  return [...changes, ...tails, ...toolLimit(policy[TOOL_LIMIT], measured, onInconclusive)]
}

function toolLimit(
  limit: number | null | undefined,
  { tools }: Measured,
  onInconclusive: OnInconclusive,
): LimitResult[] {
  if (limit == null) return []
  const statistics = tools?.calls_per_run
  const decision =
    statistics === undefined
      ? decideValue(null, limit, onInconclusive)
      : decideChange(statistics, { limit, of: 'relative_change' }, onInconclusive)
  return [resultOf(TOOL_LIMIT, 'tool_calls_per_run', decision, statistics ?? NO_RUNS)]
}

const NO_RUNS = { baseline_runs: 0, candidate_runs: 0 }

function resultOf(
  policy_key: string,
  metric: string,
  decision: LimitDecision,
  { baseline_runs, candidate_runs }: Pick<MetricStatistics, 'baseline_runs' | 'candidate_runs'>,
): LimitResult {
  return { policy_key, metric, ...decision, baseline_runs, candidate_runs }
}

/** What reasons begin with that name no violation but a lack of evidence. */
export const UNPROVEN = 'too little evidence on '

/** The reasons why limits are not kept; each names metric, change, interval, limit and runs. */
export function limitReasons(results: readonly LimitResult[]): string[] {
  return results.filter(({ passed }) => !passed).map(reasonOf)
}

function reasonOf(result: LimitResult): string {
  const { policy_key, metric, outcome, decided_by, inconclusive_because, baseline_runs, candidate_runs } =
    result
  const write = writerOf(policy_key)
  const limit = `${policy_key} ${write(result.limit, result.limit)}`
  const runs = `n ${baseline_runs} baseline, ${candidate_runs} candidate`
  if (outcome === 'fail') return `candidate ${metric} ${shown(result, write)} exceeds ${limit} (${runs})`
  if (decided_by === 'estimate') {
    const why = `decided by the estimate alone: ${DOUBTS[inconclusive_because!]}`
    return `candidate ${metric} ${shown(result, write)} exceeds ${limit} (${runs}; ${why})`
  }
  return `${UNPROVEN}${metric}: ${shown(result, write)} against ${limit} (${runs}; ${DOUBTS[inconclusive_because!]})`
}

type Writer = (value: number, beside: number) => string

/** What was compared with the limit, with its interval. */
function shown({ limit, estimate, low, high }: LimitResult, write: Writer): string {
  if (estimate === null) return 'no data'
  const end = (value: number | null, without: string): string =>
    value === null ? without : write(value, limit)
  return `${write(estimate, limit)} [${end(low, 'no lower bound')}, ${end(high, 'no upper bound')}]`
}

const PERCENT: Writer = (value, beside) => `${signed(100 * value, 100 * beside, 1)} %`
const POINTS: Writer = (value, beside) => signed(value, beside, 4)

const MILLISECONDS: Writer = value => value.toFixed(0)

function writerOf(policyKey: string): Writer {
  if (policyKey === 'max_error_rate_increase') return POINTS
  return policyKey.endsWith('_pct') ? PERCENT : MILLISECONDS
}

function signed(value: number, beside: number, digits: number): string {
  const [text] = distinctDecimals(value, beside, digits)
  return value > 0 ? `+${text}` : text
}

const DOUBTS: Readonly<Record<Doubt, string>> = {
  no_data: 'a side has no data',
  too_few_runs: 'a side has too few runs for a claim',
  too_few_clusters: 'a side has too few sessions or tenants for a claim',
  skewed_small_candidate: 'few candidate runs of a skewed metric beside many of the baseline prove no pass',
  baseline_is_zero: "the baseline's mean is 0",
  baseline_near_zero: "the baseline's mean may be 0",
  interval_too_wide: 'the interval holds the limit',
}
