import { DAY_MS, MINUTE_MS } from '../../../src/base/time.ts'
import {
  type BucketRuns,
  type Cut,
  type TimePlan,
  beganOf,
  bothSince,
  countWidthOf,
  timePlan,
  withBirth,
} from '../../../src/rules/common_time.ts'
import { UNDER_WAY } from '../../../src/rules/statistics/match.ts'
import type { Window } from '../../../src/rules/window.ts'
import { type Runs, SIDES, type SideName } from './runs.ts'

type Sides = Readonly<Record<SideName, Runs>>

/** How the runs of a window are compared by time, as the ledger reads it. */
export function planOf(sides: Sides, window: Window): TimePlan {
  const widthMs = countWidthOf(window)
  const counts = (side: SideName) => ({
    before: sides[side].before,
    within: countsOf(sides[side], window, widthMs),
  })
  const [baseline, candidate] = [counts('baseline'), counts('candidate')]
  const planFrom = (began?: number): TimePlan =>
    timePlan(baseline.within, candidate.within, window, widthMs, began)
  const both = bothSince({ baseline, candidate }, window, widthMs)
  if (both === undefined || both.young.length === 0) return planFrom()
  const since = Math.max(both.since, window.since)
  const at = Math.max(...both.young.map(side => beganOf(firstStarts(sides[side], since)) ?? since + widthMs))
  const plan = withBirth(planFrom(at), at)
  return SIDES.some(side => mayBeUnderWay(sides[side], plan.cut, window)) ? plan : planFrom()
}

/** Runs by bucket of the UTC clock. */
function countsOf({ n, ended }: Runs, { since, until }: Window, widthMs: number): BucketRuns[] {
  const first = Math.floor(since / widthMs)
  const counts = new Int32Array(Math.ceil(until / widthMs) - first)
  for (let run = 0; run < n; run++) counts[Math.floor(ended[run]! / widthMs) - first]! += 1
  const found: BucketRuns[] = []
  for (const [index, runs] of counts.entries()) if (runs > 0) found.push({ bucket: first + index, runs })
  return found
}

const FIRST_RUNS = 200

/** When those runs began that ended first since a time. */
function firstStarts({ n, ended, latency_ms }: Runs, since: number): number[] {
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

/** The moments that a birth counts as, with the times behind what was under way then. */
function momentsOf({ birth }: Cut): { readonly moment: number; readonly behind: number }[] {
  if (birth === undefined) return []
  return Array.from({ length: birth.days + 1 }, (_, day) => {
    const moment = birth.at - day * DAY_MS
    return { moment, behind: day === 0 ? Infinity : moment + DAY_MS }
  })
}

/** Whether the minutes of a side may hold runs that were under way at a birth, by their sums of squares. */
function mayBeUnderWay({ n, ended, latency_ms }: Runs, cut: Cut, { since, until }: Window): boolean {
  const first = Math.floor(since / MINUTE_MS)
  const squares = new Float64Array(Math.ceil(until / MINUTE_MS) - first)
  for (let run = 0; run < n; run++) {
    squares[Math.floor(ended[run]! / MINUTE_MS) - first]! += latency_ms[run]! * latency_ms[run]!
  }
  return momentsOf(cut).some(({ moment, behind }) => {
    const from = Math.max(0, Math.floor(moment / MINUTE_MS) - first)
    for (let minute = from; minute < squares.length; minute++) {
      const at = (first + minute) * MINUTE_MS
      if (at >= behind) return false
      const age = Math.max(0, at - moment)
      if (squares[minute]! > 0 && squares[minute]! >= age * age) return true
    }
    return false
  })
}

/** The number of a run's block, and how many blocks there are. */
export interface Blocks {
  readonly of: (run: number) => number
  readonly count: number
}

/** The blocks of a cut: -1 is before it, their number behind it, and what was under way at a birth is {@link UNDER_WAY}. */
export function blocksOfCut({ ended, latency_ms }: Runs, cut: Cut): Blocks {
  const { from, to, width_ms } = cut
  const first = Math.floor(from / width_ms)
  const count = Math.ceil(to / width_ms) - first
  const moments = momentsOf(cut)
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
