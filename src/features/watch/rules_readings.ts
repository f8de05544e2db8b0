import type { Reading } from '../../models/answers/reading.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { samplesOf } from '../../rules/diff_statistics.ts'
import { DAY_HOURS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import {
  type Moments,
  NO_MOMENTS,
  type Sample,
  mergeMoments,
  nearlyAllLast,
} from '../../rules/statistics/samples.ts'
import { areShortOfRuns, daysAlike } from '../../rules/statistics/same_hours.ts'
import type { Window } from '../../rules/window.ts'
import { guardMean, guardRate } from '../../rules/statistics/guard.ts'
import type { Pair } from '../../rules/statistics/stratified.ts'
import { designEffectOf } from '../../rules/statistics/variances.ts'
import {
  LEAST_BASELINE_RUNS,
  type Slots,
  WATCH_ALPHA,
  watchMean,
  watchMeanByHours,
  watchRate,
  watchRateByHours,
} from './rules_sequential.ts'

/** What a watch compares, in the order in which it tells of it. */
export const WATCHED = ['cost_per_run_usd', 'latency_ms', 'error_rate'] as const
export type Watched = (typeof WATCHED)[number]

/** Largest rise of each that is no regression: of means a fraction, of the error rate a difference. */
export type WatchLimits = Readonly<Record<Watched, number>>

/** The limits of a policy on rises; where it has none, any rise that is proven is a regression. */
export function watchLimits(policy: Policy): WatchLimits {
  return {
    cost_per_run_usd: policy.max_cost_increase_pct ?? 0,
    latency_ms: policy.max_latency_increase_pct ?? 0,
    error_rate: policy.max_error_rate_increase ?? 0,
  }
}

export type WatchReadings = Readonly<Record<Watched, Reading>>

/** Slots of time that a watch compares: 10 minutes of short ones, hours of the day of long ones. */
export interface SlotKind {
  readonly width_ms: number
  /** Slots of a day, at which they repeat; undefined where the watch is shorter than that. */
  readonly per_day: number | undefined
  /** Which of the earlier days are of the watch's kind. */
  readonly alike: readonly boolean[]
}

/** Watches up to this long are compared in slots of 10 minutes. */
const SHORT_MS = 4 * HOUR_MS

/** The slots of a watch, by when it begins and ends. */
export function slotKind(lasts: Window): SlotKind {
  const alike = daysAlike(lasts, WATCH_DAYS)
  return lasts.until - lasts.since <= SHORT_MS
    ? { width_ms: 10 * MINUTE_MS, per_day: undefined, alike }
    : { width_ms: HOUR_MS, per_day: DAY_HOURS, alike }
}

/** Earlier days that a watch compares with. */
export const WATCH_DAYS = 7
/** Blocks of earlier days are numbered from day times this on. */
export const DAY_STRIDE = 1000

/** Both sides at one check. Blocks of the release are slots since the watch began. */
export interface WatchedSides {
  readonly baseline: Samples
  readonly candidate: Samples
  /** The same hours of earlier days of the baseline; see {@link DAY_STRIDE}. */
  readonly earlier: Samples
  /** Both arms of a rollout that holds units back; undefined where none does. */
  readonly holdback?: Pair<Samples> | undefined
  readonly slots: SlotKind
  /** The release's runs cut into sessions or tenants, where the policy says so. */
  readonly clustered?: Samples | undefined
}

type Samples = ReturnType<typeof samplesOf>

/**
 * Compares two sides at one check: with the units that a rollout holds back, where one does; else with the same hours of earlier days where there are four of them, else with the
 * baseline's runs as they are. Each metric has a third of 5 % for false alarms over all checks of a watch, so all three
 * together have 5 % (Bonferroni). Of two sides as they are the larger design effect counts for both: either may be
 * measured too small.
 */
export function readWatch(
  { baseline, candidate, earlier, holdback, slots, clustered }: WatchedSides,
  limits: WatchLimits,
): WatchReadings {
  if (holdback !== undefined) return readHoldback(holdback, limits)
  const late = lateSlots(baseline.latency_ms.moments, slots)
  const lateRuns = (metric: Watched): Moments => since(candidate[metric], late)
  const ofClusters = (metric: Watched): number =>
    clustered === undefined ? 1 : (designEffectOf(clustered[metric], 'units') ?? 1)
  const mean = (metric: Exclude<Watched, 'error_rate'>): Reading => {
    const hours = slotsOf(earlier[metric], candidate[metric], slots)
    const [limit, ofUnits] = [limits[metric], ofClusters(metric)]
    const design_effect = Math.max(designEffect(baseline[metric], candidate[metric]), ofUnits)
    return (
      watchMeanByHours(hours, limit, ofUnits) ??
      byWindow(
        watchMean({ baseline: baseline[metric].moments, design_effect, limit }, lateRuns(metric)),
        hours,
      )
    )
  }
  const [b, c] = [baseline.error_rate, candidate.error_rate]
  const ofErrors = ofClusters('error_rate')
  const hours = slotsOf(earlier.error_rate, c, slots)
  const sameAge = late === 0 ? NO_MOMENTS : earlierAtSameAge(hours, slots)
  const [before, own] =
    sameAge.n < LEAST_BASELINE_RUNS
      ? [b.moments, lateRuns('error_rate')]
      : [sameAge, hours.candidate.reduce(mergeMoments, NO_MOMENTS)]
  const errors = {
    baseline: countOf(before),
    design_effect: Math.max(designEffect(b, c), ofErrors),
    limit: limits.error_rate,
  }
  return {
    cost_per_run_usd: mean('cost_per_run_usd'),
    latency_ms: mean('latency_ms'),
    error_rate:
      watchRateByHours(hours, limits.error_rate, ofErrors) ??
      byWindow(watchRate(errors, countOf(own)), hours),
  }
}

/**
 * The reading of other hours. In its first minutes a watch has days that are short of runs alone: a rise against other hours is
 * no alarm then, unless the exact bound proves it.
 */
function byWindow(reading: Reading, hours: Slots): Reading {
  const isEarly = reading.alarm === 'sequential' && areShortOfRuns(hours)
  return { by: 'window', ...reading, ...(isEarly ? { alarm: null } : {}) }
}

/**
 * Slots from which on a release is seen as its baseline was: those that begin later than nearly all runs last. Before, its
 * quick failures have come in, and few of its other runs.
 */
function lateSlots(latency: Moments, { width_ms }: SlotKind): number {
  return Math.ceil(nearlyAllLast(latency) / width_ms)
}

/**
 * The baseline's runs on the earlier days that there are, at the age that the release has: those that began and ended within
 * as long a time. A watch of several days goes on for longer than runs last.
 */
function earlierAtSameAge({ days }: Slots, { per_day }: SlotKind): Moments {
  return per_day === undefined ? days.flat().reduce(mergeMoments, NO_MOMENTS) : NO_MOMENTS
}

/** The runs of a release from a slot on; with slot 0 all. */
function since(sample: Sample, slot: number): Moments {
  if (slot === 0) return sample.moments
  const later = [...(sample.blocks?.() ?? [])].filter(([block]) => block >= slot)
  return later.map(([, moments]) => moments).reduce(mergeMoments, NO_MOMENTS)
}

/** Units that chance put on either side differ by the release alone. */
function readHoldback(sides: Pair<Samples>, limits: WatchLimits): WatchReadings {
  const arms = (metric: Watched): Pair<Sample>[] => [
    { baseline: sides.baseline[metric], candidate: sides.candidate[metric] },
  ]
  const of = (metric: Watched): Reading => {
    const guard = metric === 'error_rate' ? guardRate : guardMean
    return { by: 'holdback', ...guard(arms(metric), limits[metric], WATCH_ALPHA) }
  }
  return {
    cost_per_run_usd: of('cost_per_run_usd'),
    latency_ms: of('latency_ms'),
    error_rate: of('error_rate'),
  }
}

/** Both sides by slot: those since the watch began, and the same ones of each earlier day. */
function slotsOf(earlier: Sample, candidate: Sample, { per_day, alike }: SlotKind): Slots {
  const own: Moments[] = []
  for (const [block, moments] of candidate.blocks?.() ?? []) {
    if (block < 0) continue
    const slot = per_day === undefined ? block : block % per_day
    own[slot] = mergeMoments(own[slot] ?? NO_MOMENTS, moments)
  }
  return {
    candidate: Array.from(own, moments => moments ?? NO_MOMENTS),
    days: earlierSlots(earlier, own.length),
    alike,
  }
}

/** The slots of each earlier day. */
function earlierSlots(earlier: Sample, slots: number): Moments[][] {
  const blocks = earlier.blocks?.() ?? new Map<number, Moments>()
  return Array.from({ length: WATCH_DAYS }, (_day, day) =>
    Array.from({ length: slots }, (_slot, slot) => blocks.get((day + 1) * DAY_STRIDE + slot) ?? NO_MOMENTS),
  )
}

/** Rises that a watch would see by its end in half of all cases, where the release runs as often as the baseline did. */
export type Foreseen = Readonly<Record<Watched, number | null>>

/**
 * What a watch can find, by the same hours of earlier days of the baseline; undefined where there are too few of them.
 * `slots` is how many slots it lasts.
 */
export function foresee(
  earlier: Samples,
  slots: number,
  { alike }: Pick<SlotKind, 'alike'>,
  limits: WatchLimits,
): Foreseen | undefined {
  const of = (metric: Watched): Slots => {
    const days = earlierSlots(earlier[metric], slots)
    const candidate = Array.from({ length: slots }, (_slot, slot) => averageDay(days.map(day => day[slot]!)))
    return { days, candidate, alike }
  }
  const read = {
    cost_per_run_usd: watchMeanByHours(of('cost_per_run_usd'), limits.cost_per_run_usd),
    latency_ms: watchMeanByHours(of('latency_ms'), limits.latency_ms),
    error_rate: watchRateByHours(of('error_rate'), limits.error_rate),
  }
  if (WATCHED.every(metric => read[metric] === undefined)) return undefined
  const found = (metric: Watched): number | null => read[metric]?.smallest_detectable ?? null
  return {
    cost_per_run_usd: found('cost_per_run_usd'),
    latency_ms: found('latency_ms'),
    error_rate: found('error_rate'),
  }
}

/** A slot as it is on a day with as many runs as days have on average. */
function averageDay(days: readonly Moments[]): Moments {
  const all = days.reduce(mergeMoments, NO_MOMENTS)
  const ran = days.filter(({ n }) => n > 0).length
  return ran === 0 ? NO_MOMENTS : { n: Math.round(all.n / ran), mean: all.mean, m2: all.m2 / ran }
}

function designEffect(baseline: Sample, candidate: Sample): number {
  return Math.max(designEffectOf(baseline) ?? 1, designEffectOf(candidate) ?? 1)
}

function countOf({ n, mean }: Moments): { events: number; runs: number } {
  return { events: Math.round(mean * n), runs: n }
}
