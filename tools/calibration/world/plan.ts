import { MINUTE_MS } from '../../../src/base/time.ts'
import {
  type BucketRuns,
  type BucketSums,
  type Cut,
  type Moments,
  type TimePlan,
  countWidthOf,
} from '../../../src/rules/common_time.ts'
import { type Reach, type RunRows, planOver } from '../../../src/rules/moments.ts'
import { beganOf } from '../../../src/rules/share_steps.ts'
import { UNDER_WAY } from '../../../src/rules/statistics/match.ts'
import type { Range, Window } from '../../../src/rules/window.ts'
import type { Runs, SideName } from './runs.ts'

/** When runs ended, and how long they took. */
export type Timed = Pick<Runs, 'n' | 'ended' | 'latency_ms'>
type Sides = Readonly<Record<SideName, Timed & Pick<Runs, 'before'>>>

/** How the runs of a window are compared by time, as the ledger reads it. */
export function planOf(sides: Sides, window: Window): Promise<TimePlan> {
  const counts = (side: SideName) => ({
    before: sides[side].before,
    within: sumsOf(sides[side], window, countWidthOf(window)),
  })
  const ofBoth = <T>(of: (side: SideName) => T) =>
    Promise.resolve({ baseline: of('baseline'), candidate: of('candidate') })
  const rows: RunRows = {
    began: (young, since) =>
      Promise.resolve(young.map(side => beganOf(firstStarts(sides[side], Math.max(since, window.since))))),
    starts: (times, oneIn) => ofBoth(side => startsOf(sides[side], times, oneIn[side])),
    reach: (moments, mostRuns) => ofBoth(side => reachOf(sides[side], moments, window, mostRuns)),
  }
  return planOver({ baseline: counts('baseline'), candidate: counts('candidate') }, window, rows)
}

/** Runs and latencies by bucket of the UTC clock. */
function sumsOf({ n, ended, latency_ms }: Timed, { since, until }: Window, widthMs: number): BucketSums[] {
  const first = Math.floor(since / widthMs)
  const sums = Array.from({ length: Math.ceil(until / widthMs) - first }, (_, index) => ({
    bucket: first + index,
    runs: 0,
    latency_sum: 0,
    latency_sq: 0,
  }))
  for (let run = 0; run < n; run++) {
    const own = sums[Math.floor(ended[run]! / widthMs) - first]!
    own.runs += 1
    own.latency_sum += latency_ms[run]!
    own.latency_sq += latency_ms[run]! * latency_ms[run]!
  }
  return sums.filter(({ runs }) => runs > 0)
}

const FIRST_RUNS = 200

/** When those runs began that ended first since a time. */
function firstStarts({ n, ended, latency_ms }: Timed, since: number): number[] {
  const found: { at: number; began: number }[] = []
  for (let run = 0; run < n; run++) {
    const at = ended[run]!
    if (at >= since) found.push({ at, began: at - latency_ms[run]! })
  }
  return found
    .sort((a, b) => a.at - b.at)
    .slice(0, FIRST_RUNS)
    .map(({ began }) => began)
}

function startsOf({ n, ended, latency_ms }: Timed, times: readonly Range[], oneIn: number): BucketRuns[] {
  const starts = new Map<number, number>()
  for (let run = 0; run < n; run += oneIn) {
    const at = ended[run]!
    if (!times.some(({ from, to }) => at >= from && at < to)) continue
    const bucket = Math.floor((at - latency_ms[run]!) / MINUTE_MS)
    starts.set(bucket, (starts.get(bucket) ?? 0) + 1)
  }
  return Array.from(starts, ([bucket, runs]) => ({ bucket, runs }))
}

/** The moments of a cut, with the times behind what was under way then. */
function spansOf({ at }: Moments): { readonly moment: number; readonly behind: number }[] {
  return at.map((moment, index) => {
    const next = at[index + 1] ?? Infinity
    return { moment, behind: next === Infinity ? next : next - (next % MINUTE_MS) }
  })
}

/** The minutes of a side that may hold runs which were under way at some moments, by their sums of squares. */
function reachOf(side: Timed, moments: Moments, window: Window, mostRuns: number): Reach {
  const minutes = sumsOf(side, window, MINUTE_MS)
  let [runs, until, over_ms] = [0, 0, 0]
  for (const { moment, behind } of spansOf(moments)) {
    for (const { bucket, latency_sq, runs: own } of minutes) {
      if (bucket < Math.floor(moment / MINUTE_MS) || bucket * MINUTE_MS >= behind) continue
      const age = bucket * MINUTE_MS - moment
      if (latency_sq === 0 || (age > 0 && latency_sq < age * age)) continue
      runs += own
      until = Math.max(until, (bucket + 1) * MINUTE_MS)
      over_ms = Math.max(over_ms, (bucket + 1) * MINUTE_MS - moment)
    }
  }
  return { isReadable: runs <= mostRuns, until: until === 0 ? null : until, over_ms }
}

/** The number of a run's block, and how many blocks there are. */
export interface Blocks {
  readonly of: (run: number) => number
  readonly count: number
}

/** The blocks of a cut: -1 is before it, their number behind it, and what was under way at a moment is {@link UNDER_WAY}. */
export function blocksOfCut({ ended, latency_ms }: Timed, cut: Cut): Blocks {
  const { from, to, width_ms } = cut
  const first = Math.floor(from / width_ms)
  const count = Math.ceil(to / width_ms) - first
  const moments = cut.moments === undefined ? [] : spansOf(cut.moments)
  const isUnderWay = (at: number, began: number): boolean =>
    moments.some(({ moment, behind }) => began < moment && at >= moment - (moment % MINUTE_MS) && at < behind)
  return {
    count,
    of: run => {
      const at = ended[run]!
      if (isUnderWay(at, at - latency_ms[run]!)) return UNDER_WAY
      return at < from ? -1 : at >= to ? count : Math.floor(at / width_ms) - first
    },
  }
}

/** 24 blocks of a window. */
export function blocksOfWindow({ ended }: Runs, { since, until }: Window): Blocks {
  return { count: 24, of: run => Math.floor(((ended[run]! - since) * 24) / (until - since)) }
}
