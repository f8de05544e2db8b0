import { round12 } from '../../base/numbers.ts'
import { ofTailRises } from '../../models/limits.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { MeasuredArms, samplesOf } from '../../rules/diff_statistics.ts'
import { isOfSuite, limitsTailRises, limitsTools } from '../../rules/limits.ts'
import {
  type Arms,
  armRateIntervals,
  compareArmMeans,
  compareArmRates,
  hasBuckets,
} from '../../rules/statistics/arms.ts'
import { type GuardReading, guardMean, guardRate } from '../../rules/statistics/guard.ts'
import { ALPHA, roundEstimate } from '../../rules/statistics/intervals.ts'
import { MILLION } from '../../rules/rollup.ts'
import type { BinCounts } from '../../rules/statistics/bins.ts'
import { type CompareOptions, settingsOf } from '../../rules/statistics/metric.ts'
import {
  type Tail,
  eventsAbove,
  shiftedQuantile,
  tailOf,
  weightedQuantile,
} from '../../rules/statistics/relative_quantile.ts'
import { type Sample, sampleOf } from '../../rules/statistics/samples.ts'
import type { Pair } from '../../rules/statistics/stratified.ts'
import { effectiveNumber } from '../../rules/statistics/variances.ts'

/** What a guard checks, in the order in which it tells of it. */
const GUARDED = ['cost_per_run_usd', 'latency_ms', 'error_rate'] as const
type Guarded = (typeof GUARDED)[number]

/** Largest rises that are no harm: of means a fraction, of the error rate a difference; null is not guarded. */
export interface GuardLimits {
  readonly cost_per_run_usd: number | null
  readonly latency_ms: number | null
  readonly error_rate: number
}

/** A release that fails is never rolled out, whether or not the policy limits errors. */
const ERROR_RISE = 0.02

export function guardLimits(policy: Policy): GuardLimits {
  return {
    cost_per_run_usd: policy.max_cost_increase_pct ?? null,
    latency_ms: policy.max_latency_increase_pct ?? null,
    error_rate: policy.max_error_rate_increase ?? ERROR_RISE,
  }
}

/** The runs of one step by side and metric; their clusters are buckets. */
export interface StepSides extends Pair<ReturnType<typeof samplesOf>> {
  /** Whether failed runs are left out of latency, and cost is counted by those that succeeded. */
  readonly knowsFailed: boolean
}

function armsOf({ baseline, candidate }: StepSides, metric: Guarded): Arms {
  return { baseline: baseline[metric], candidate: candidate[metric] }
}

export type GuardReadings = Readonly<
  Partial<Record<Guarded, GuardReading>> & Record<'error_rate', GuardReading>
>

/** Cost, latency and errors share what false alarms a rollout may raise, over all steps and checks. */
const GUARD_ALPHA = ALPHA / 3

/** Guards what a policy limits. `steps` are those in which the candidate ran. */
export function readGuard(steps: readonly StepSides[], limits: GuardLimits): GuardReadings {
  const of = (metric: Guarded): Arms[] => steps.map(sides => armsOf(sides, metric))
  const mean = (metric: 'cost_per_run_usd' | 'latency_ms'): Partial<GuardReadings> => {
    const limit = limits[metric]
    return limit === null ? {} : { [metric]: guardMean(of(metric), limit, GUARD_ALPHA) }
  }
  return {
    ...mean('cost_per_run_usd'),
    ...mean('latency_ms'),
    error_rate: guardRate(of('error_rate'), limits.error_rate, GUARD_ALPHA),
  }
}

/** What is proven to be worse, with the figures; empty where nothing is. */
export function harmOf(readings: GuardReadings): string[] {
  return GUARDED.flatMap(metric => {
    const reading = readings[metric]
    if (reading === undefined || reading.alarm === null) return []
    const { change, low, limit, baseline_runs, candidate_runs } = reading
    const unit = metric === 'error_rate' ? 'points' : '%'
    const write = (value: number): string => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)} ${unit}`
    const rise = change === null ? 'above a baseline of 0' : write(change)
    const least = low === null ? '' : `, at least ${write(low)}`
    return [
      `${metric} ${rise}${least}, beyond the limit of ${write(limit)} ` +
        `(n ${baseline_runs} baseline, ${candidate_runs} candidate)`,
    ]
  })
}

/** What is counted of runs besides their sums, because the policy limits it. */
export function countedValues(policy: Policy): string[] {
  const scores = Object.keys(policy.max_score_drop ?? {}).filter(name => !isOfSuite(name))
  return [
    ...(limitsTailRises(policy, 'latency') ? [LATENCY] : []),
    ...(limitsTools(policy) ? [TOOLS] : []),
    ...scores.map(name => `${SCORE}${name}`),
  ]
}

export const LATENCY = 'latency'
export const TOOLS = 'tools'
export const SCORE = 'score:'

/** Values of runs of one side and bucket; of a latency `name` has the bin behind a colon. */
export interface ValueAggregate {
  readonly side: keyof Arms
  readonly bucket: number
  readonly name: string
  readonly runs: number
  readonly sum: number
  readonly sum_of_squares: number
}

/** What the last step decides by. */
export interface DecidingArms {
  readonly last: StepSides
  /** The same sides while all ran the baseline; undefined where there was no such step. */
  readonly before: StepSides | undefined
  readonly values: readonly ValueAggregate[]
  /** When the last step was measured, epoch ms. */
  readonly from: number
  readonly to: number
  /** Whether this is not the first check at its end, so that intervals have to hold at any. */
  readonly sequential: boolean
}

/** Decides limits on a change by the last step alone. What was not counted from the start has no data. */
export function decidingArms({ last, before, values, from, to, sequential }: DecidingArms): MeasuredArms {
  return ({ policy, options, planned, measured }) => {
    const { min_runs, limits } = options
    const requested: CompareOptions = {
      min_runs: min_runs ?? 0,
      limits: limits ?? 1,
      sequential: sequential || options.sequential === true,
    }
    const mean = (metric: 'cost_per_run_usd' | 'latency_ms', limit: number | null | undefined) =>
      compareArmMeans(
        armsOf(last, metric),
        { ...requested, ...planned(limit) },
        before && armsOf(before, metric),
      )
    const valued = (name: string): Arms => valueArms(values.filter(aggregate => aggregate.name === name))
    const { scores } = measured
    return {
      compared: { from, to },
      statistics: {
        cost_per_run_usd: mean('cost_per_run_usd', policy.max_cost_increase_pct),
        latency_ms: mean('latency_ms', policy.max_latency_increase_pct),
        error_rate: compareArmRates(armsOf(last, 'error_rate'), {
          ...requested,
          ...planned(policy.max_error_rate_increase),
        }),
        ...(limitsTailRises(policy, 'latency')
          ? { latency_percentile_changes: tailChanges(values, requested) }
          : {}),
        ...(limitsTools(policy)
          ? {
              tools: {
                tools: measured.tools?.tools ?? [],
                calls_per_run: compareArmMeans(valued(TOOLS), {
                  ...requested,
                  ...planned(policy.max_tool_calls_increase_pct),
                }),
              },
            }
          : {}),
        ...(scores === undefined
          ? {}
          : { scores: scores.map(score => scoreOf(score, policy, valued, requested)) }),
      },
      knowsFailed: last.knowsFailed,
      warnings: [],
    }
  }
}

function valueArms(aggregates: readonly ValueAggregate[]): Arms {
  const of = (side: keyof Arms): Sample =>
    sampleOf(
      aggregates
        .filter(aggregate => aggregate.side === side)
        .map(({ bucket, runs, sum, sum_of_squares }) => ({
          cluster: String(bucket),
          n: runs,
          sum,
          sum_of_squares,
        })),
    )
  return { baseline: of('baseline'), candidate: of('candidate') }
}

type Score = NonNullable<DiffStatistics['scores']>[number]

/** Scores of suites are of cases, which no rollout assigns. */
function scoreOf(
  score: Score,
  policy: Policy,
  valued: (name: string) => Arms,
  requested: CompareOptions,
): Score {
  if (isOfSuite(score.name) || policy.max_score_drop?.[score.name] === undefined) return score
  const arms = valued(`${SCORE}${score.name}`)
  const inUnits = { baseline: scaled(arms.baseline), candidate: scaled(arms.candidate) }
  return { ...score, change: compareArmMeans(inUnits, { ...requested, better: 'higher' }) }
}

/** Scores are summed in millionths. */
function scaled({ moments: { n, mean, m2 }, clusters }: Sample): Sample {
  return {
    moments: { n, mean: mean / MILLION, m2: m2 / MILLION ** 2 },
    clusters: new Map(
      Array.from(clusters, ([bucket, own]) => [bucket, { n: own.n, sum: own.sum / MILLION }]),
    ),
  }
}

type TailChanges = NonNullable<DiffStatistics['latency_percentile_changes']>

/** How percentiles differ between the arms: the shift of the bins at which as many runs of both lie above. */
export function tailChanges(values: readonly ValueAggregate[], options: CompareOptions): TailChanges {
  const settings = settingsOf(options, 0.1)
  const bins = { baseline: binsOf(values, 'baseline'), candidate: binsOf(values, 'candidate') }
  const all = { baseline: tailOf(merged(bins.baseline)), candidate: tailOf(merged(bins.candidate)) }
  const tails = { baseline: tailsOf(bins.baseline), candidate: tailsOf(bins.candidate) }
  const [b, c] = [all.baseline.runs, all.candidate.runs]
  const sampleAt = (side: keyof Arms, bin: number, part: number): Sample => {
    const counts = Array.from(tails[side], ([bucket, tail]) => ({ bucket, ...eventsAbove(tail, bin, part) }))
    const [n, sum] = [all[side].runs, counts.reduce((total, { events }) => total + events, 0)]
    return {
      moments: { n, mean: sum / n, m2: sum - (sum * sum) / n },
      clusters: new Map(counts.map(({ bucket, runs, events }) => [bucket, { n: runs, sum: events }])),
    }
  }
  const of = (p: number): TailChanges['p95'] => {
    const found = weightedQuantile([{ baseline: all.baseline, candidate: all.candidate }], p)
    const buckets = Math.min(
      ...(['baseline', 'candidate'] as const).map(side => effectiveNumber(sampleAt(side, 0, 0))),
    )
    const change =
      found &&
      shiftedQuantile(found, shift => {
        const arms = {
          baseline: sampleAt('baseline', found.bin, found.part),
          candidate: sampleAt('candidate', found.bin + shift, found.part),
        }
        return hasBuckets(arms) ? armRateIntervals(arms, settings).difference : undefined
      })
    return {
      relative_change: roundEstimate(change?.relative_change ?? null),
      inconclusive_because:
        Math.min(b, c) === 0
          ? 'no_data'
          : Math.min(b, c) < settings.min_runs
            ? 'too_few_runs'
            : change === undefined
              ? 'too_few_clusters'
              : null,
      baseline_runs: b,
      candidate_runs: c,
      candidate_share: c === 0 ? 0 : 1,
      units: round12(buckets),
    }
  }
  return ofTailRises(of)
}

/** Runs by bin of their latency, by bucket. */
function binsOf(values: readonly ValueAggregate[], side: keyof Arms): Map<string, Map<number, number>> {
  const tails = new Map<string, Map<number, number>>()
  for (const aggregate of values) {
    if (aggregate.side !== side || !aggregate.name.startsWith(`${LATENCY}:`)) continue
    const bins = tails.get(String(aggregate.bucket)) ?? new Map<number, number>()
    tails.set(
      String(aggregate.bucket),
      bins.set(Number(aggregate.name.slice(LATENCY.length + 1)), aggregate.runs),
    )
  }
  return tails
}

function tailsOf(bins: ReadonlyMap<string, BinCounts>): Map<string, Tail> {
  return new Map(Array.from(bins, ([bucket, counts]) => [bucket, tailOf(counts)]))
}

function merged(tails: ReadonlyMap<string, BinCounts>): BinCounts {
  const all = new Map<number, number>()
  for (const bins of tails.values()) {
    for (const [bin, runs] of bins) all.set(bin, (all.get(bin) ?? 0) + runs)
  }
  return all
}
