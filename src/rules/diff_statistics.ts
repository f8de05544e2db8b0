import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { Policy } from '../models/documents/policy.ts'
import { MINUTE_MS, isoTime } from '../base/time.ts'
import {
  type Cut,
  type TimePlan,
  overWindowWarnings,
  sharedWindow,
  timeWarnings,
  youngWarnings,
} from './common_time.ts'
import type { Thresholds } from './evidence.ts'
import { type Rates, writeSurcharge } from './cost.ts'
import { decideLimits, intervalLimits } from './limits.ts'
import { pricesOf } from './price_names.ts'
import type { Aggregate, FailedSums, PartSums, Sums } from './rollup.ts'
import { type UsageSide, compareUsage, pricedSample, sampleOfSide } from './statistics/compare.ts'
import type { CompareOptions, MetricStatistics } from './statistics/metric.ts'
import { type Sample, type UsageAggregate, errorSample, latencySample } from './statistics/samples.ts'
import type { Match } from './statistics/match.ts'
import type { Window } from './window.ts'
import { milliseconds, usd } from '../base/text.ts'

/** One side of a diff: its sums by block of time, and its prices by model. */
export interface MeasuredSide {
  readonly aggregates: readonly Aggregate[]
  /** What its runs used in addition to the tokens of their own models. */
  readonly parts?: readonly PartSums[]
  readonly rates: ReadonlyMap<string, Rates>
}

/** The sums of the runs of one session or tenant that used one model. */
export interface ClusterAggregate extends Sums {
  readonly cluster: string
  /** The block of time; 0 where the window is compared as it is. */
  readonly block: number
  readonly model: string
  /** Whether it is of what runs used in addition to the tokens of their own model; other aggregates count those runs. */
  readonly is_part: boolean
  readonly failed_latency_count: number
  readonly failed_latency_sum_ms: number
}

/** What a measure of a feature adds to the statistics of a diff, or says in place of what the core compared by time. */
export type MeasuredBy = (requested: MeasureQuestion) => {
  readonly statistics: Partial<Omit<DiffStatistics, 'limits' | 'warnings'>>
  readonly warnings?: readonly string[]
}

export interface MeasureQuestion {
  readonly policy: Policy
  readonly compare_by: NonNullable<Policy['compare_by']>
  readonly options: CompareOptions
  /** Whether a rollback is judged, which has to meet only what the contract demands. */
  readonly isRollback: boolean
  /** The options of a plan for a limit, where there is one. */
  readonly planned: (limit: number | null | undefined) => CompareOptions
  /** Cost, latency, errors and tokens of the same runs in other blocks, compared by what these blocks share. */
  readonly comparedBy: (match: Match, sides: Record<'baseline' | 'candidate', CutSide>) => ComparedMetrics
}

/** The sums of a side by block. */
export type CutSide = Pick<MeasuredSide, 'aggregates' | 'parts'>

/** What is compared of each pair of releases. */
type ComparedMetrics = Pick<
  DiffStatistics,
  'cost_per_run_usd' | 'latency_ms' | 'error_rate' | 'tokens_per_run'
>

/** What the arms of a rollout show, which takes the place of what both sides share of time. */
export type MeasuredArms = (
  requested: Omit<MeasureQuestion, 'isRollback' | 'comparedBy' | 'compare_by'> & {
    /** What the measures of features found over time. */
    readonly measured: ReturnType<MeasuredBy>['statistics']
  },
) => {
  /** When the arms ran side by side. */
  readonly compared: Pick<Cut, 'from' | 'to'>
  readonly statistics: Partial<
    Pick<
      DiffStatistics,
      'cost_per_run_usd' | 'latency_ms' | 'error_rate' | 'latency_percentile_changes' | 'tools' | 'scores'
    >
  >
  /** See {@link knowFailed}. */
  readonly knowsFailed: boolean
  readonly warnings: readonly string[]
}

export interface StatisticsQuestion {
  readonly policy: Policy
  readonly extras?: readonly MeasuredBy[]
  readonly arms?: MeasuredArms | undefined
  readonly thresholds: Thresholds
  /** Use intervals that stay valid however often you check. */
  readonly sequential: boolean
  /** Judges a rollback, which does not fail because the sides ran at other times. */
  readonly over_window?: boolean
  /** What the sides share that is compared; that of the policy unless given. */
  readonly compare_by?: NonNullable<Policy['compare_by']> | undefined
  /** What both sides share of time; undefined where the window is compared as it is. Aggregates are cut by it. */
  readonly plan?: TimePlan | undefined
  /** What the aggregates are cut from. */
  readonly window: Window
  /** Clusters that replace blocks of time; without aggregates where there are too many runs for them. */
  readonly clusters?: {
    readonly by: 'session' | 'tenant'
    readonly most_runs: number
    readonly aggregates:
      | { readonly baseline: readonly ClusterAggregate[]; readonly candidate: readonly ClusterAggregate[] }
      | undefined
    /** Why runs can't be grouped by them at all; then nothing is compared. */
    readonly apart?: string
  }
  /** Why sides that ran at once can't be compared by time all the same, and what mends it. */
  readonly apart?: readonly string[]
  /** How often this was requested since the process started. */
  readonly comparisons?: number
}

/** How a policy wants metrics compared, and runs planned: so that all of its limits hold at once in 80 of 100 cases. */
export function plannedBy(policy: Policy, { min_low_runs }: Pick<Thresholds, 'min_low_runs'>) {
  return {
    sequential: policy.sequential ?? false,
    min_runs: min_low_runs,
    limits: Math.max(1, intervalLimits(policy)),
  } satisfies CompareOptions
}

/** Intervals and verdicts of a diff, and how the limits of the policy are decided by them. */
export function diffStatistics(
  baseline: MeasuredSide,
  candidate: MeasuredSide,
  question: StatisticsQuestion,
): DiffStatistics {
  const { policy, thresholds, sequential, over_window = false, clusters, plan } = question
  const compare_by = question.compare_by ?? policy.compare_by ?? 'time'
  const isApart =
    clusters?.apart !== undefined || (compare_by === 'time' && (question.apart ?? []).length > 0)
  const planned = (limit: number | null | undefined): { planned_limit?: number } =>
    limit == null ? {} : { planned_limit: limit }
  const options = {
    ...plannedBy(policy, thresholds),
    sequential,
    over_window: plan === undefined,
    match: isApart ? NOTHING_SHARED : plan?.match,
  }
  const compared = (
    b: UsageSide,
    c: UsageSide,
    how: Pick<CompareOptions, 'match' | 'clusters'>,
  ): ComparedMetrics =>
    compareUsage(b, c, KINDS, {
      ...options,
      ...how,
      metrics: {
        cost_per_run_usd: planned(policy.max_cost_increase_pct),
        latency_ms: planned(policy.max_latency_increase_pct),
        error_rate: planned(policy.max_error_rate_increase),
      },
    }) as ComparedMetrics
  const knowsFailed = knowFailed([baseline, candidate])
  const atEqualPrices = equalRates(baseline, candidate).map(rates => {
    const of = (side: MeasuredSide): UsageSide => usageOf({ ...side, rates }, knowsFailed)
    return equalPricesText(compared(of(baseline), of(candidate), { match: options.match }).cost_per_run_usd)
  })
  const comparedBy: MeasureQuestion['comparedBy'] = (match, sides) => {
    const pair = [
      { ...baseline, ...sides.baseline },
      { ...candidate, ...sides.candidate },
    ] as const
    const ofSucceeded = knowFailed(pair)
    return compared(usageOf(pair[0], ofSucceeded), usageOf(pair[1], ofSucceeded), { match })
  }
  const extras = (question.extras ?? []).map(measure =>
    measure({ policy, compare_by, options, planned, isRollback: over_window, comparedBy }),
  )
  const byTime = compared(
    usageOf(baseline, knowsFailed, clusters?.aggregates?.baseline),
    usageOf(candidate, knowsFailed, clusters?.aggregates?.candidate),
    { match: options.match, clusters: clusters?.aggregates === undefined ? 'blocks' : 'units' },
  )
  const further = Object.assign(
    {},
    ...extras.map(extra => extra.statistics),
  ) as ReturnType<MeasuredBy>['statistics']
  const arms = question.arms?.({ policy, options, planned, measured: further })
  const ofSucceeded = arms?.knowsFailed ?? knowsFailed
  const { tokens_per_run: tokens, ...metrics } = byTime
  const { segment_regressions, tokens_per_run = tokens, ...others } = further
  const measured = {
    cluster_by: clusters?.aggregates === undefined ? ('time' as const) : clusters.by,
    compare_by: plan === undefined ? ('window' as const) : ('time' as const),
    ...(plan === undefined || clusters?.apart !== undefined ? {} : { compared: comparedOf(plan, question) }),
    ...(segment_regressions === undefined ? {} : { segment_regressions }),
    ...metrics,
    latency_percentiles: null,
    tools: null,
    ...others,
    ...arms?.statistics,
    ...(arms === undefined ? {} : { compare_by: 'rollout' as const, compared: comparedArms(arms.compared) }),
    tokens_per_run,
    ...(over_window ? { of_rollback: true as const } : {}),
    ...(ofSucceeded ? { of_succeeded: true as const } : {}),
  }
  return {
    ...measured,
    limits: decideLimits(policy, measured),
    warnings: [
      ...(arms?.warnings ?? timeWarningsOf(candidate, measured, question)),
      ...(ofSucceeded ? [] : [FAILED_COUNT_TOO]),
      // Of runs of several models only a bound of the spread is known.
      ...dominantRuns(measured, { baseline: isOfOneModel(baseline), candidate: isOfOneModel(candidate) }),
      ...clusterWarnings(question),
      ...atEqualPrices.filter(text => text !== undefined),
      ...extras.flatMap(({ warnings = [] }) => warnings),
      ...repeatWarning(question),
    ],
  }
}

/** One price for each model of both sides, the baseline's where it has one; none where a model costs both the same. */
function equalRates(baseline: MeasuredSide, candidate: MeasuredSide): MeasuredSide['rates'][] {
  const used = [baseline, candidate].flatMap(({ aggregates, parts = [] }) => [...aggregates, ...parts])
  const models = new Set(used.map(({ model }) => model))
  const [ofBaseline, ofCandidate] = [pricesOf(baseline.rates, models), pricesOf(candidate.rates, models)]
  const differs = [...models].some(model => {
    const [b, c] = [ofBaseline.get(model), ofCandidate.get(model)]
    return b !== undefined && c !== undefined && String(usdPerToken(b)) !== String(usdPerToken(c))
  })
  return differs ? [new Map([...ofCandidate, ...ofBaseline])] : []
}

function equalPricesText({ relative_change }: MetricStatistics): string | undefined {
  if (relative_change === null) return undefined
  const { estimate, low, high } = relative_change
  const interval = low === null || high === null ? '' : ` [${percent(low)}, ${percent(high)}]`
  return `the price tables of the two releases differ: at the baseline's prices for both, cost per run changes by ${percent(estimate)}${interval}`
}

function percent(change: number): string {
  return `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %`
}

/** What is compared of sides that ran at once and are none that can be compared. */
const NOTHING_SHARED: Match = { by: 'common_time', blocks: 0 }

/** What is to be said of how the sides were compared, where that is by time or over the window. */
function timeWarningsOf(
  candidate: MeasuredSide,
  {
    compare_by,
    cost_per_run_usd,
    error_rate,
    latency_ms,
  }: Pick<DiffStatistics, 'compare_by' | 'cost_per_run_usd' | 'error_rate' | 'latency_ms'>,
  { plan, window, clusters, apart = [], over_window = false }: StatisticsQuestion,
): string[] {
  // Of sessions and tenants blocks of the window are not known.
  if (plan === undefined)
    return clusters?.aggregates === undefined ? overWindowWarnings(error_rate, over_window) : []
  if (compare_by !== 'time') return []
  if (apart.length > 0) return [...apart]
  return [
    ...timeWarnings(error_rate, {
      plan,
      shorter: sharedWindow(candidate.aggregates, error_rate, plan, window),
    }),
    ...youngWarnings(latency_ms, cost_per_run_usd, error_rate, plan, window),
  ]
}

function comparedOf(
  plan: TimePlan,
  { policy, compare_by = policy.compare_by ?? 'time', apart = [] }: StatisticsQuestion,
): NonNullable<DiffStatistics['compared']> {
  const isApart = compare_by === 'time' && apart.length > 0
  return { ...comparedTime(plan), ...(isApart ? { other_tenants: true as const } : {}) }
}

/** What says which part of a window was compared. */
export function comparedTime({
  cut,
  match,
}: Pick<TimePlan, 'cut' | 'match'>): NonNullable<DiffStatistics['compared']> {
  return {
    by: match.by,
    since: isoTime(cut.from),
    until: isoTime(cut.to),
    block_minutes: cut.width_ms / MINUTE_MS,
  }
}

function comparedArms({ from, to }: Pick<Cut, 'from' | 'to'>): NonNullable<DiffStatistics['compared']> {
  return { by: 'rollout', since: isoTime(from), until: isoTime(to), block_minutes: 0 }
}

function isOfOneModel({ parts = [] }: MeasuredSide): boolean {
  return parts.length === 0
}

function clusterWarnings({ clusters, plan }: StatisticsQuestion): string[] {
  if (clusters?.apart !== undefined) return [clusters.apart]
  return clusters === undefined || clusters.aggregates !== undefined
    ? []
    : [
        `runs are grouped by time, not by ${clusters.by}: more than ${clusters.most_runs} runs of a side ` +
          `${plan === undefined ? 'are in the window' : 'are compared'}; choose a shorter window`,
      ]
}

/** Looks from which on fixed intervals miss clearly more often than they say. */
const MOST_COMPARISONS = 10

function repeatWarning({ sequential, comparisons = 1 }: StatisticsQuestion): string[] {
  return sequential || comparisons <= MOST_COMPARISONS
    ? []
    : [
        `asked ${comparisons} times since the service started: a fixed interval holds for one look, and among so many some ` +
          'difference shows by chance; set `sequential: true` in the policy',
      ]
}

export const FAILED_COUNT_TOO =
  'cost and latency are compared over all runs, failed ones too: the sums of some, of an older version or imported, do not ' +
  'tell failed runs apart; `svc rollups rebuild` does where their events are there'

/** Whether the sums of failed runs are known of all aggregates. Sides of which one lacks some are compared over all runs. */
export function knowFailed(sides: readonly Pick<MeasuredSide, 'aggregates'>[]): boolean {
  return sides.every(({ aggregates }) =>
    aggregates.every(({ errors, failed_count = 0 }) => failed_count === errors),
  )
}

/**
 * Errors, latency of runs that succeeded, and cost by their number, of one side as samples; cut into sessions or tenants
 * where these are given. Latency and cost are those of all runs unless `knowsFailed`.
 */
export function samplesOf(
  side: MeasuredSide,
  knowsFailed: boolean,
  clustered?: readonly ClusterAggregate[],
): Record<'cost_per_run_usd' | 'latency_ms' | 'error_rate', Sample> {
  const usage = usageOf(side, knowsFailed, clustered)
  return {
    cost_per_run_usd: sampleOfSide(usage, pricedSample),
    latency_ms: sampleOfSide(usage, latencySample),
    error_rate: sampleOfSide(usage, errorSample),
  }
}

const KINDS = ['input_tokens', 'output_tokens', 'cached_input_tokens'] as const

function usageOf(
  { aggregates, parts = [], rates }: MeasuredSide,
  knowsFailed: boolean,
  clustered?: readonly ClusterAggregate[],
): UsageSide {
  const own = (aggregate: UsageAggregate, failed: Partial<FailedSums>): UsageAggregate =>
    knowsFailed ? withoutFailed(aggregate, failed) : aggregate
  return {
    aggregates: [
      ...aggregates.map(aggregate =>
        own(usageAggregate(aggregate, String(aggregate.block), aggregate), aggregate),
      ),
      ...parts.map(partAggregate),
    ],
    ...(clustered === undefined
      ? {}
      : {
          clustered: clustered.map(aggregate =>
            aggregate.is_part ? clusteredAggregate(aggregate) : own(clusteredAggregate(aggregate), aggregate),
          ),
        }),
    usd_per_token: usdByModel(rates, [...aggregates, ...parts, ...(clustered ?? [])]),
  }
}

type UsdPerToken = readonly [input: number, output: number, cached: number, written: number]

/** By the models of these aggregates. */
export function usdByModel(
  rates: ReadonlyMap<string, Rates>,
  aggregates: readonly { readonly model: string }[],
): Map<string, UsdPerToken> {
  const used = pricesOf(rates, new Set(aggregates.map(({ model }) => model)))
  return new Map(Array.from(used, ([model, rate]) => [model, usdPerToken(rate)]))
}

/** By kind of token, in the order of {@link KINDS}, and for those written to a cache. */
function usdPerToken(rate: Rates): UsdPerToken {
  return [
    rate.input_usd_per_1k_tokens / 1000,
    rate.output_usd_per_1k_tokens / 1000,
    (rate.cached_input_usd_per_1k_tokens ?? 0) / 1000,
    writeSurcharge(rate) / 1000,
  ]
}

/** Latency of the runs that succeeded, and their number, by which cost is counted. */
function withoutFailed(
  aggregate: UsageAggregate,
  {
    failed_latency_count: timed = 0,
    failed_latency_sum_ms: sum = 0,
    failed_latency_sum_ms2: squares = 0,
    failed_input_tokens: input = 0,
    failed_output_tokens: output = 0,
    failed_cached_input_tokens: cached = 0,
  }: Partial<FailedSums>,
): UsageAggregate {
  if (aggregate.errors === 0 && squares === 0) return aggregate
  return {
    ...aggregate,
    latency_count: aggregate.latency_count - timed,
    latency_sum_ms: aggregate.latency_sum_ms - sum,
    latency_sum_ms2: aggregate.latency_sum_ms2 - squares,
    succeeded: aggregate.runs - aggregate.errors,
    failed_token_sums: [input, output, cached],
  }
}

function partAggregate(part: PartSums): UsageAggregate {
  const { block, parts, token_products } = part
  const aggregate = usageAggregate({ ...part, runs: parts }, String(block), {
    ...NO_PRODUCTS,
    token_products,
  })
  return furtherAggregate(aggregate, part)
}

function clusteredAggregate(aggregate: ClusterAggregate): UsageAggregate {
  const usage = { ...usageAggregate(aggregate, aggregate.cluster, NO_PRODUCTS), block: aggregate.block }
  return aggregate.is_part ? furtherAggregate(usage, aggregate) : usage
}

/** Tokens of another model, or written to a cache, of runs that other aggregates count. */
function furtherAggregate(aggregate: UsageAggregate, { cache_write_input_tokens = 0 }: Sums): UsageAggregate {
  return {
    ...aggregate,
    token_sums: [...aggregate.token_sums, cache_write_input_tokens],
    is_further_model: true,
  }
}

const NO_PRODUCTS = { latency_sum_ms2: 0, token_products: [0, 0, 0, 0, 0, 0] }

function usageAggregate(
  aggregate: Sums & { readonly model: string },
  cluster: string,
  { latency_sum_ms2, token_products }: Pick<Aggregate, 'latency_sum_ms2' | 'token_products'>,
): UsageAggregate {
  const { model, runs, errors, latency_count, latency_sum_ms } = aggregate
  return {
    cluster,
    model,
    runs,
    errors,
    latency_count,
    latency_sum_ms,
    latency_sum_ms2,
    token_sums: KINDS.map(kind => aggregate[kind]),
    token_products,
  }
}

/** Share of a sum that one of its terms must have for the sum to be that one's. */
const MOST = 0.5

/**
 * Says where one run has more than half of a side's cost or latency: where it is compared its interval is too wide for any
 * limit, and no number of runs mends that soon. Of values from 0 on the largest is at least Σx²/Σx, so the share is at least
 * Σx²/(Σx)². `exactCost` says of each side whether the spread of its cost is known exactly.
 */
export function dominantRuns(
  { cost_per_run_usd, latency_ms }: Pick<Measured, 'cost_per_run_usd' | 'latency_ms'>,
  exactCost: { readonly baseline: boolean; readonly candidate: boolean },
): string[] {
  return (['baseline', 'candidate'] as const).flatMap(side => [
    ...dominantRun(side, latency_ms, 'latency', milliseconds),
    ...(exactCost[side] ? dominantRun(side, cost_per_run_usd, 'cost', usd) : []),
  ])
}

type Measured = Readonly<Record<'cost_per_run_usd' | 'latency_ms', MetricStatistics>>

function dominantRun(
  side: 'baseline' | 'candidate',
  metric: MetricStatistics,
  what: string,
  written: (value: number) => string,
): string[] {
  const [n, mean, deviation] = [metric[`${side}_runs`], metric[`${side}_mean`], metric[`${side}_stddev`]]
  if (n < metric.min_runs || mean === null || mean === 0 || deviation === null) return []
  const meanOfSquares = ((n - 1) / n) * deviation * deviation + mean * mean
  const share = meanOfSquares / (n * mean * mean)
  if (share <= MOST) return []
  return [
    `${side}: one run of ${written(meanOfSquares / mean)} or more has over ${Math.floor(100 * share)} % of the ${what} of ` +
      `all ${n}: while it is among the runs that are compared, no limit on a change of the mean is decided`,
  ]
}
