import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import type { BucketRuns, TimePlan } from '../../../src/rules/common_time.ts'
import { HOURS_BEFORE } from '../../../src/rules/moments.ts'
import { compareMeans, compareRates } from '../../../src/rules/statistics/compare.ts'
import type { MetricStatistics } from '../../../src/rules/statistics/metric.ts'
import { type Moments, NO_MOMENTS, type Sample, mergeMoments } from '../../../src/rules/statistics/samples.ts'
import type { Window } from '../../../src/rules/window.ts'
import type { Random } from '../../../tools/calibration/traffic.ts'
import { type Blocks, type Timed, blocksOfCut, planOf } from '../../../tools/calibration/world/plan.ts'

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

/** How the runs of a window are compared by time, and the number of each one's block. */
export async function planned({ baseline, candidate }: RunSides, window: Window) {
  const hour = Math.floor(window.since / HOUR_MS) * HOUR_MS
  const of = (runs: readonly Run[]) => ({
    ...timed(within(runs, window)),
    before: counted(runs, { since: hour - HOURS_BEFORE * HOUR_MS, until: hour }, HOUR_MS),
  })
  const sides = { baseline: of(baseline), candidate: of(candidate) }
  const plan = await planOf(sides, window)
  return {
    plan,
    blocks: {
      baseline: blocksOfCut(sides.baseline, plan.cut),
      candidate: blocksOfCut(sides.candidate, plan.cut),
    },
  }
}

function timed(runs: readonly Run[]): Timed {
  return {
    n: runs.length,
    ended: Float64Array.from(runs, ({ ts }) => ts),
    latency_ms: Float64Array.from(runs, ({ latency_ms }) => latency_ms),
  }
}

function sampled(runs: readonly Run[], blocks: Blocks, value: (run: Run) => number | null): Sample {
  const sums = new Map<number, Moments>()
  let moments = NO_MOMENTS
  for (const [index, run] of runs.entries()) {
    const own = value(run)
    if (own === null) continue
    const one = { n: 1, mean: own, m2: 0 }
    const block = blocks.of(index)
    sums.set(block, mergeMoments(sums.get(block) ?? NO_MOMENTS, one))
    moments = mergeMoments(moments, one)
  }
  return { moments, clusters: new Map(), blocks: () => sums }
}

/** Latency of runs that succeeded, and errors, of two releases over a window. */
export async function comparedRuns(
  sides: RunSides,
  window: Window,
): Promise<{
  readonly latency_ms: MetricStatistics
  readonly error_rate: MetricStatistics
  readonly plan: TimePlan
}> {
  const { plan, blocks } = await planned(sides, window)
  const of = (value: (run: Run) => number | null): [Sample, Sample] => [
    sampled(within(sides.baseline, window), blocks.baseline, value),
    sampled(within(sides.candidate, window), blocks.candidate, value),
  ]
  const { match } = plan
  return {
    plan,
    latency_ms: compareMeans(...of(run => (hasSucceeded(run) ? run.latency_ms : null)), { match }),
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
