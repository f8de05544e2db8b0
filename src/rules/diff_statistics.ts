import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { Policy } from '../models/documents/policy.ts'
import { round12 } from '../base/numbers.ts'
import { MINUTE_MS, isoTime } from '../base/time.ts'
import type { TimePlan } from './common_time.ts'
import { overWindowWarnings, sharedWindow, strataWarnings, timeWarnings } from './comparability.ts'
import type { Thresholds } from './confidence.ts'
import { type Rates, writeSurcharge } from './cost.ts'
import { decideLimits, intervalLimits } from './limits.ts'
import type { CellSums, PartSums, Sums } from './rollup.ts'
import { type UsageSide, compareUsage } from './statistics/compare.ts'
import { costSample } from './statistics/cost_sample.ts'
import type { CompareOptions, MetricStatistics } from './statistics/metric.ts'
import { type Sample, type UsageCell, errorSample, latencySample } from './statistics/samples.ts'
import type { StrataPlan, stratified } from './strata.ts'
import type { Window } from './window.ts'
import { milliseconds, usd } from '../base/shown.ts'

/** One side of a diff: its sums by block of time, and its prices by model. */
export interface MeasuredSide {
  readonly cells: readonly CellSums[]
  /** What its runs used beside the tokens of their own models. */
  readonly parts?: readonly PartSums[]
  readonly rates: ReadonlyMap<string, Rates>
}

/** The sums of the runs of one session or tenant that used one model. */
export interface ClusterCell extends Sums {
  readonly cluster: string
  readonly model: string
  /** Whether it is of what runs used beside the tokens of their own model; other cells count those runs. */
  readonly is_part: boolean
}

/** What a measure of a feature adds to the statistics of a diff. */
export type MeasuredBy = (asked: {
  readonly policy: Policy
  readonly options: CompareOptions
  /** Whether a rollback is judged, which is asked only what the contract asks. */
  readonly isRollback: boolean
  /** The options of a plan for a limit, where there is one. */
  readonly planned: (limit: number | null | undefined) => CompareOptions
}) => {
  readonly statistics: Partial<
    Pick<DiffStatistics, 'latency_percentiles' | 'latency_percentile_changes' | 'tools' | 'scores'>
  >
  readonly warnings?: readonly string[]
}

export interface StatisticsQuestion {
  readonly policy: Policy
  readonly extras?: readonly MeasuredBy[]
  readonly thresholds: Thresholds
  /** Intervals that hold however often they are asked for. */
  readonly sequential: boolean
  /** Judges a rollback, which is not held up because the sides ran at other times. */
  readonly over_window?: boolean
  /** What is to be said of how the sides' tenants and tasks differ. */
  readonly mix?: readonly string[]
  /** What both sides share of time; undefined where the window is compared as it is. Cells are cut by it. */
  readonly plan?: TimePlan | undefined
  /** The strata that both sides share, where the policy compares by them; measures of features go by the plan. */
  readonly strata?: ReturnType<typeof stratified> | undefined
  /** What became worse for whom; null where it was asked for and there are no sums by tenant and task. */
  readonly hot_spots?: DiffStatistics['hot_spots'] | null
  /** What the cells are cut from. */
  readonly window: Window
  /** Clusters that are asked for instead of blocks of time; without cells where there are too many runs for them. */
  readonly clusters?: {
    readonly by: 'session' | 'tenant'
    readonly most_runs: number
    readonly cells:
      | { readonly baseline: readonly ClusterCell[]; readonly candidate: readonly ClusterCell[] }
      | undefined
  }
  /** Share of runs of tenants that both sides have, where it is known. */
  readonly shared_tenants?: number | undefined
  /** How often this was asked for since the process started. */
  readonly looks?: number
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
  const { policy, thresholds, sequential, over_window = false, clusters, plan, strata, hot_spots } = question
  const planned = (limit: number | null | undefined): { planned_limit?: number } =>
    limit == null ? {} : { planned_limit: limit }
  const options = {
    ...plannedBy(policy, thresholds),
    sequential,
    over_window: plan === undefined,
    match: plan?.match,
  }
  const { tokens_per_run, ...metrics } = compareUsage(
    usageOf({ ...baseline, ...strata?.baseline }, clusters?.cells?.baseline),
    usageOf({ ...candidate, ...strata?.candidate }, clusters?.cells?.candidate),
    KINDS,
    {
      ...options,
      ...(strata === undefined ? {} : { match: strata.plan.match }),
      clusters: clusters?.cells === undefined ? 'blocks' : 'units',
      metrics: {
        cost_per_run_usd: planned(policy.max_cost_increase_pct),
        latency_ms: planned(policy.max_latency_increase_pct),
        error_rate: planned(policy.max_error_rate_increase),
      },
    },
  )
  const extras = (question.extras ?? []).map(measure =>
    measure({ policy, options, planned, isRollback: over_window }),
  )
  const measured = {
    ...metrics,
    latency_percentiles: null,
    tools: null,
    ...(Object.assign({}, ...extras.map(extra => extra.statistics)) as ReturnType<MeasuredBy>['statistics']),
  }
  return {
    cluster_by: clusters?.cells === undefined ? 'time' : clusters.by,
    ...(plan === undefined
      ? { compare_by: 'window' as const }
      : strata === undefined
        ? { compare_by: 'time' as const, compared: comparedTime(plan) }
        : { compare_by: strata.plan.match.by, compared: comparedStrata(strata.plan) }),
    ...(hot_spots == null ? {} : { hot_spots }),
    ...measured,
    tokens_per_run: tokens_per_run as DiffStatistics['tokens_per_run'],
    limits: decideLimits(policy, { ...measured, ...(hot_spots == null ? {} : { hot_spots }) }),
    warnings: [
      // Of sessions and tenants blocks of time are not known.
      ...(clusters?.cells === undefined
        ? plan === undefined
          ? overWindowWarnings(metrics.error_rate, over_window)
          : strata === undefined
            ? timeWarnings(metrics.error_rate, {
                plan,
                shorter: sharedWindow(candidate.cells, metrics.error_rate, plan, question.window),
              })
            : strataWarnings(metrics.error_rate, strata.plan)
        : []),
      ...(question.mix ?? []),
      // Of runs of several models only a bound of the spread is known.
      ...dominantRuns(metrics, { baseline: isOfOneModel(baseline), candidate: isOfOneModel(candidate) }),
      ...warningsOf(
        question,
        metrics.error_rate.clusters.shared_runs_share,
        extras.flatMap(({ warnings = [] }) => warnings),
      ),
    ],
  }
}

function comparedTime({
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

function comparedStrata({
  cut,
  match,
  only_baseline,
  only_candidate,
}: StrataPlan): DiffStatistics['compared'] & {} {
  return {
    ...comparedTime({ cut, match }),
    left_out: { candidate: leftOut(only_candidate), baseline: leftOut(only_baseline) },
  }
}

function leftOut({ share, largest }: StrataPlan['only_candidate']): { share: number; largest: number[] } {
  return { share: round12(share), largest: [...largest] }
}

function isOfOneModel({ parts = [] }: MeasuredSide): boolean {
  return parts.length === 0
}

/** Looks from which on fixed intervals miss clearly more often than they say. */
const MOST_LOOKS = 10
/** Share of runs of common tenants below which sides may differ by who sent them. */
const FEW_SHARED = 0.5

function warningsOf(
  { sequential, clusters, strata, shared_tenants, looks = 1 }: StatisticsQuestion,
  sharedRuns: number,
  ofExtras: readonly string[],
): string[] {
  const warnings: string[] = []
  if (clusters !== undefined && clusters.cells === undefined) {
    warnings.push(
      `runs are grouped by time, not by ${clusters.by}: a side has more than ${clusters.most_runs} runs; ` +
        'choose a shorter window',
    )
  }
  const shared = clusters?.by === 'tenant' && clusters.cells !== undefined ? sharedRuns : shared_tenants
  if (strata === undefined && shared !== undefined && shared < FEW_SHARED) {
    warnings.push(
      `only ${(100 * shared).toFixed(0)} % of the runs are of tenants that both sides have: the sides may differ ` +
        'because their tenants do; compare_by: tenant compares each with itself',
    )
  }
  warnings.push(...ofExtras)
  if (!sequential && looks > MOST_LOOKS) {
    warnings.push(
      `asked ${looks} times since the service started: a fixed interval holds for one look, and among so many some ` +
        'difference shows by chance; set `sequential: true` in the policy',
    )
  }
  return warnings
}

/** Cost, latency and errors of one side as samples. */
export function samplesOf(
  side: MeasuredSide,
): Record<'cost_per_run_usd' | 'latency_ms' | 'error_rate', Sample> {
  const { cells, usd_per_token } = usageOf(side)
  return {
    cost_per_run_usd: costSample(
      cells.filter(({ model }) => usd_per_token.has(model)),
      usd_per_token,
    ),
    latency_ms: latencySample(cells),
    error_rate: errorSample(cells),
  }
}

const KINDS = ['input_tokens', 'output_tokens', 'cached_input_tokens'] as const

function usageOf({ cells, parts = [], rates }: MeasuredSide, clustered?: readonly ClusterCell[]): UsageSide {
  return {
    cells: [...cells.map(cell => usageCell(cell, String(cell.block), cell)), ...parts.map(partCell)],
    ...(clustered === undefined ? {} : { clustered: clustered.map(clusteredCell) }),
    usd_per_token: new Map(
      Array.from(rates, ([model, rate]) => [
        model,
        [
          rate.input_usd_per_1k_tokens / 1000,
          rate.output_usd_per_1k_tokens / 1000,
          (rate.cached_input_usd_per_1k_tokens ?? 0) / 1000,
          writeSurcharge(rate) / 1000,
        ],
      ]),
    ),
  }
}

function partCell(part: PartSums): UsageCell {
  const { block, parts, token_products } = part
  const cell = usageCell({ ...part, runs: parts }, String(block), { ...NO_PRODUCTS, token_products })
  return furtherCell(cell, part)
}

function clusteredCell(cell: ClusterCell): UsageCell {
  const usage = usageCell(cell, cell.cluster, NO_PRODUCTS)
  return cell.is_part ? furtherCell(usage, cell) : usage
}

/** Tokens of another model, or written to a cache, of runs that other cells count. */
function furtherCell(cell: UsageCell, { cache_write_input_tokens = 0 }: Sums): UsageCell {
  return { ...cell, token_sums: [...cell.token_sums, cache_write_input_tokens], is_further_model: true }
}

const NO_PRODUCTS = { latency_sum_ms2: 0, token_products: [0, 0, 0, 0, 0, 0] }

function usageCell(
  cell: Sums & { readonly model: string },
  cluster: string,
  { latency_sum_ms2, token_products }: Pick<CellSums, 'latency_sum_ms2' | 'token_products'>,
): UsageCell {
  const { model, runs, errors, latency_count, latency_sum_ms } = cell
  return {
    cluster,
    model,
    runs,
    errors,
    latency_count,
    latency_sum_ms,
    latency_sum_ms2,
    token_sums: KINDS.map(kind => cell[kind]),
    token_products,
  }
}

/** Share of a sum that one of its terms must have for the sum to be that one's. */
const MOST = 0.5

/**
 * Says where one run has more than half of a side's cost or latency: its interval is too wide for any limit then, and no
 * number of runs mends that soon. Of values from 0 on the largest is at least Σx²/Σx, so the share is at least
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
      `all ${n}: no limit on a change of the mean is decided while it is in the window`,
  ]
}
