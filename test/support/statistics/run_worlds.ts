import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import {
  type BucketRuns,
  type Counts,
  HOURS_BEFORE,
  type TimePlan,
  beganOf,
  bothSince,
  countWidthOf,
  timePlan,
  withBirth,
} from '../../../src/rules/common_time.ts'
import { UNDER_WAY } from '../../../src/rules/statistics/match.ts'
import { compareMeans, compareRates } from '../../../src/rules/statistics/compare.ts'
import type { MetricStatistics } from '../../../src/rules/statistics/metric.ts'
import { type Moments, NO_MOMENTS, type Sample, mergeMoments } from '../../../src/rules/statistics/samples.ts'
import type { Window } from '../../../src/rules/window.ts'
import type { Random } from '../../../tools/calibration/traffic.ts'

/** A run as the ledger stores it: dated when it ended. Times are epoch ms. */
export interface Run {
  readonly ts: number
  readonly latency_ms: number
  readonly failed: boolean
}

/** Runs of one release, from when on and until when they begin. */
export interface Traffic {
  readonly from: number
  readonly to: number
  readonly perMinute: number | ((at: number) => number)
  /** How long a run takes, and whether it fails, by when it begins. */
  readonly run: (at: number) => { readonly latency_ms: number; readonly failed: boolean }
}

/** The runs of some traffic that ended before `until`, in the order of their ends. */
export function runsOf({ from, to, perMinute, run }: Traffic, until: number, random: Random): Run[] {
  const rate = typeof perMinute === 'number' ? () => perMinute : perMinute
  let most = rate(from)
  for (let at = from; at < to; at += MINUTE_MS) most = Math.max(most, rate(at))
  const runs: Run[] = []
  let at = from
  while (true) {
    at += (-Math.log(1 - random.uniform()) / most) * MINUTE_MS
    if (at >= to) break
    if (typeof perMinute !== 'number' && random.uniform() * most >= rate(at)) continue
    const { latency_ms, failed } = run(at)
    const ts = Math.round(at + latency_ms)
    if (ts < until) runs.push({ ts, latency_ms: Math.round(latency_ms), failed })
  }
  return runs.sort((a, b) => a.ts - b.ts)
}

/** Log-normal run lengths of such a mean. */
export function lasting(meanMs: number, sigma: number, { normal }: Random): number {
  return meanMs * Math.exp(sigma * normal() - (sigma * sigma) / 2)
}

export interface RunSides {
  readonly baseline: readonly Run[]
  readonly candidate: readonly Run[]
}

function within(runs: readonly Run[], { since, until }: Window): Run[] {
  return runs.filter(({ ts }) => ts >= since && ts < until)
}

function counted(runs: readonly Run[], window: Window, widthMs: number): BucketRuns[] {
  const counts = new Map<number, number>()
  for (const { ts } of within(runs, window)) {
    const bucket = Math.floor(ts / widthMs)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return Array.from(counts, ([bucket, own]) => ({ bucket, runs: own })).sort((a, b) => a.bucket - b.bucket)
}

/** How the runs of a window are compared by time, as the ledger reads it. */
export function planOf(sides: RunSides, window: Window): TimePlan {
  const widthMs = countWidthOf(window)
  const hour = Math.floor(window.since / HOUR_MS) * HOUR_MS
  const of = (runs: readonly Run[]): Counts => ({
    before: counted(runs, { since: hour - HOURS_BEFORE * HOUR_MS, until: hour }, HOUR_MS),
    within: counted(runs, window, widthMs),
  })
  const counts = { baseline: of(sides.baseline), candidate: of(sides.candidate) }
  const planFrom = (began?: number) =>
    timePlan(counts.baseline.within, counts.candidate.within, window, widthMs, began)
  const both = bothSince(counts, window, widthMs)
  if (both === undefined || both.young.length === 0) return planFrom()
  const at = Math.max(
    ...both.young.map(side => {
      const first = within(sides[side], { since: both.since, until: window.until }).slice(0, 200)
      return beganOf(first.map(({ ts, latency_ms }) => ts - latency_ms)) ?? 0
    }),
  )
  const plan = withBirth(planFrom(at), at)
  const isUnderWay = (run: Run): boolean => blockOf(run, plan) === UNDER_WAY
  return [...within(sides.baseline, window), ...within(sides.candidate, window)].some(isUnderWay)
    ? plan
    : planFrom()
}

/** The block of a run, as the ledger numbers them. */
export function blockOf({ ts, latency_ms }: Run, { cut }: TimePlan): number {
  const { at, days } = cut.birth ?? { at: 0, days: 0 }
  for (let day = 0; day <= days; day++) {
    const then = at - day * DAY_MS
    if (ts - latency_ms < then && ts >= then - (then % MINUTE_MS)) return UNDER_WAY
  }
  if (ts < cut.from) return -1
  if (ts >= cut.to) return Number.MAX_SAFE_INTEGER
  return Math.floor(ts / cut.width_ms) - Math.floor(cut.from / cut.width_ms)
}

function sampled(runs: readonly Run[], plan: TimePlan, value: (run: Run) => number): Sample {
  const blocks = new Map<number, Moments>()
  let moments = NO_MOMENTS
  for (const run of runs) {
    const one = { n: 1, mean: value(run), m2: 0 }
    const block = blockOf(run, plan)
    blocks.set(block, mergeMoments(blocks.get(block) ?? NO_MOMENTS, one))
    moments = mergeMoments(moments, one)
  }
  return { moments, clusters: new Map(), blocks: () => blocks }
}

/** Latency of runs that succeeded, and errors, of two releases over a window. */
export function comparedRuns(
  sides: RunSides,
  window: Window,
): { readonly latency_ms: MetricStatistics; readonly error_rate: MetricStatistics; readonly plan: TimePlan } {
  const plan = planOf(sides, window)
  const of = (value: (run: Run) => number, isCounted = (_run: Run) => true): [Sample, Sample] => [
    sampled(within(sides.baseline, window).filter(isCounted), plan, value),
    sampled(within(sides.candidate, window).filter(isCounted), plan, value),
  ]
  const { match } = plan
  return {
    plan,
    latency_ms: compareMeans(...of(({ latency_ms }) => latency_ms, hasSucceeded), { match }),
    error_rate: compareRates(...of(({ failed }) => (failed ? 1 : 0)), { match }),
  }
}

export function hasSucceeded({ failed }: Run): boolean {
  return !failed
}

/** So many hours before a time. */
export function hoursBefore(until: number, hours: number): Window {
  return { since: until - hours * HOUR_MS, until }
}
