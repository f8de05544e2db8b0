import { round12 } from '../../base/numbers.ts'
import { ofTailRises } from '../../models/limits.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { roundEstimate } from '../../rules/statistics/intervals.ts'
import { UNDER_WAY, isComparable } from '../../rules/statistics/match.ts'
import { type CompareOptions, type Settings, settingsOf } from '../../rules/statistics/metric.ts'
import { quantileChange } from '../../rules/statistics/relative_quantile.ts'
import { type BinCounts, edgesOfBin } from '../../rules/statistics/bins.ts'
import type { Pair } from '../../rules/statistics/stratified.ts'

/** Latencies of both sides by block of the time that they share, and how many runs of the window carry one. */
export interface TailChanges {
  /** Undefined where the window is compared as it is. */
  readonly sides: Pair<ReadonlyMap<number, BinCounts>> | undefined
  readonly all: Pair<number>
  /** Failed runs by the same blocks; undefined where their latencies are not known. */
  readonly failed?: Pair<ReadonlyMap<number, Failed>> | undefined
}

/** Failed runs that carry a latency: how many, and the sum of the squares of those, ms². */
export interface Failed {
  readonly runs: number
  readonly square: number
}

type Changes = NonNullable<DiffStatistics['latency_percentile_changes']>

/**
 * How percentiles of runs that succeeded changed over the blocks of time in which both sides ran, where failed runs end sooner
 * for sure, so that they are the lowest of a block; else of all runs, where as many fail on both sides. Same hours of earlier
 * days don't tell.
 */
export function tailChanges(tails: TailChanges, options: CompareOptions): Changes {
  const { all } = tails
  const settings = settingsOf(options, 0.1)
  const { everyRun, succeeded, left, b, c } = comparedOf(tails, settings)
  const of = (p: number): Changes['p95'] => {
    const areQuick = failEarlier(b, p) && failEarlier(c, p)
    const change = quantileChange(areQuick ? succeeded : everyRun, p, 'time', settings)
    const { baseline_runs = 0, candidate_runs = 0, effective_units = 0 } = change?.overlap ?? {}
    const counted = candidate_runs + (areQuick ? c.failed : 0)
    const candidate_share = all.candidate === 0 ? 0 : Math.min(1, counted / all.candidate)
    const fewest = Math.min(all.baseline, all.candidate)
    return {
      relative_change: roundEstimate(change?.relative_change ?? null),
      inconclusive_because:
        fewest === 0
          ? 'no_data'
          : fewest < settings.min_runs
            ? 'too_few_runs'
            : left <= 1 - p &&
                (areQuick || !failUnequally(b, c)) &&
                isComparable({ effective_units, candidate_share, baseline_runs, candidate_runs }, settings)
              ? null
              : 'not_comparable',
      baseline_runs,
      candidate_runs,
      candidate_share: round12(candidate_share),
      units: round12(effective_units),
    }
  }
  return ofTailRises(of)
}

/** Why percentiles are not compared, where failed runs can't be separated from the others. */
export function tailWarnings(tails: TailChanges, options: CompareOptions): string[] {
  const { b, c } = comparedOf(tails, settingsOf(options, 0.1))
  const areQuick = failEarlier(b, 0.99) && failEarlier(c, 0.99)
  if (areQuick || !failUnequally(b, c)) return []
  return [
    'percentiles of the latency are not compared: one side fails more often, and its failed runs may take as long as the others',
  ]
}

/** Both sides by block: all runs, and those that succeeded where the failed ones are the lowest. */
function comparedOf({ sides, failed }: TailChanges, { match }: Pick<Settings, 'match'>) {
  const isByBlocks = match?.by === 'common_time' && match.blocks > 0
  const numbers =
    sides === undefined || !isByBlocks ? [] : [...sides.baseline.keys(), ...sides.candidate.keys()]
  const blocks = [...new Set(numbers)].filter(block => block >= 0).sort((one, other) => one - other)
  const left = sides === undefined ? 0 : Math.max(leftShare(sides.baseline), leftShare(sides.candidate))
  const of = (side: keyof Pair<unknown>): TailSide & { readonly everyRun: readonly BinCounts[] } => {
    const everyRun = blocks.map(block => sides![side].get(block) ?? NO_COUNTS)
    const ofBlocks = blocks.map(block => failed?.[side].get(block) ?? { runs: 0, square: 0 })
    return {
      everyRun,
      runs: everyRun.reduce((sum, counts) => sum + countOf(counts), 0),
      succeeded: everyRun.map((counts, index) => withoutLowest(counts, ofBlocks[index]!.runs)),
      failed: ofBlocks.reduce((sum, { runs }) => sum + runs, 0),
      square: ofBlocks.reduce((sum, { square }) => sum + square, 0),
    }
  }
  const [b, c] = [of('baseline'), of('candidate')]
  const paired = (from: 'everyRun' | 'succeeded') =>
    blocks.map((_, index) => ({ baseline: b[from][index]!, candidate: c[from][index]! }))
  return { everyRun: paired('everyRun'), succeeded: paired('succeeded'), left, b, c }
}

const NO_COUNTS: BinCounts = new Map()

interface TailSide {
  readonly runs: number
  readonly succeeded: readonly BinCounts[]
  readonly failed: number
  readonly square: number
}

/** Share of the runs above a percentile that may have failed. */
const MOST_FAILED = 0.05
/** How many standard errors apart shares of failed runs are no chance. */
const UNEQUAL = 3

/**
 * Whether failed runs end below the percentile of those that succeeded, but for a few: of so many latencies no more are beyond
 * x than the sum of their squares has x² (Chebyshev).
 */
function failEarlier({ succeeded, failed, square }: TailSide, p: number): boolean {
  if (failed === 0) return true
  const counts = new Map<number, number>()
  for (const bins of succeeded) for (const [bin, n] of bins) counts.set(bin, (counts.get(bin) ?? 0) + n)
  const runs = countOf(counts)
  let below = 0
  for (const [bin, n] of [...counts].sort(([one], [other]) => one - other)) {
    below += n
    if (below < p * runs) continue
    const [smallest] = edgesOfBin(bin)
    return square <= MOST_FAILED * (1 - p) * runs * smallest * smallest
  }
  return false
}

/** Whether the sides differ in how many fail, so that percentiles of all runs differ by that alone. */
function failUnequally(b: TailSide, c: TailSide): boolean {
  const rate = (b.failed + c.failed) / Math.max(1, b.runs + c.runs)
  const error = Math.sqrt(rate * (1 - rate) * (1 / Math.max(1, b.runs) + 1 / Math.max(1, c.runs)))
  return Math.abs(b.failed / Math.max(1, b.runs) - c.failed / Math.max(1, c.runs)) > UNEQUAL * error
}

/** The counts without so many of the lowest values. */
function withoutLowest(counts: BinCounts, most: number): BinCounts {
  if (most === 0) return counts
  let left = most
  const kept = new Map<number, number>()
  for (const [bin, n] of [...counts].sort(([one], [other]) => one - other)) {
    const out = Math.min(left, n)
    left -= out
    if (n > out) kept.set(bin, n - out)
  }
  return kept
}

function countOf(counts: BinCounts): number {
  return [...counts.values()].reduce((sum, n) => sum + n, 0)
}

/**
 * The share of a side's runs that were under way when the younger one began. As many that began since are not over, and they
 * are long: beyond a percentile there must be more.
 */
function leftShare(side: ReadonlyMap<number, BinCounts>): number {
  let [left, all] = [0, 0]
  for (const [block, counts] of side) {
    const runs = countOf(counts)
    all += runs
    if (block === UNDER_WAY) left += runs
  }
  return left === 0 ? 0 : left / all
}
