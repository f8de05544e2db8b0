import { round12 } from '../../base/numbers.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { roundEstimate } from '../../rules/statistics/intervals.ts'
import { UNDER_WAY, isComparable } from '../../rules/statistics/match.ts'
import { type CompareOptions, settingsOf } from '../../rules/statistics/metric.ts'
import { quantileChange } from '../../rules/statistics/relative_quantile.ts'
import type { BinCounts } from '../../rules/statistics/bins.ts'
import type { Pair } from '../../rules/statistics/stratified.ts'

/** Latencies of both sides by block of the time that they share, and how many runs of the window carry one. */
export interface TailChanges {
  /** Undefined where the window is compared as it is. */
  readonly sides: Pair<ReadonlyMap<number, BinCounts>> | undefined
  readonly all: Pair<number>
}

type Changes = NonNullable<DiffStatistics['latency_percentile_changes']>

/** How p95 and p99 changed over the blocks of time in which both sides ran. Same hours of earlier days don't tell. */
export function tailChanges({ sides, all }: TailChanges, options: CompareOptions): Changes {
  const settings = settingsOf(options, 0.1)
  const isByBlocks = settings.match?.by === 'common_time' && settings.match.blocks > 0
  const numbers =
    sides === undefined || !isByBlocks ? [] : [...sides.baseline.keys(), ...sides.candidate.keys()]
  const blocks = [...new Set(numbers)].filter(block => block >= 0).sort((a, b) => a - b)
  const left = sides === undefined ? 0 : Math.max(leftShare(sides.baseline), leftShare(sides.candidate))
  const nothing: BinCounts = new Map()
  const pairs = blocks.map(block => ({
    baseline: sides!.baseline.get(block) ?? nothing,
    candidate: sides!.candidate.get(block) ?? nothing,
  }))
  const of = (p: number): Changes['p95'] => {
    const change = quantileChange(pairs, p, 'time', settings)
    const { baseline_runs = 0, candidate_runs = 0, effective_units = 0 } = change?.overlap ?? {}
    const candidate_share = all.candidate === 0 ? 0 : Math.min(1, candidate_runs / all.candidate)
    const fewest = Math.min(all.baseline, all.candidate)
    return {
      relative_change: roundEstimate(change?.relative_change ?? null),
      inconclusive_because:
        fewest === 0
          ? 'no_data'
          : fewest < settings.min_runs
            ? 'too_few_runs'
            : left <= 1 - p &&
                isComparable({ effective_units, candidate_share, baseline_runs, candidate_runs }, settings)
              ? null
              : 'not_comparable',
      baseline_runs,
      candidate_runs,
      candidate_share: round12(candidate_share),
      units: round12(effective_units),
    }
  }
  return { p95: of(0.95), p99: of(0.99) }
}

/**
 * The share of a side's runs that were under way when the younger one began. As many that began since are not over, and they
 * are long: beyond a percentile there must be more.
 */
function leftShare(side: ReadonlyMap<number, BinCounts>): number {
  let [left, all] = [0, 0]
  for (const [block, counts] of side) {
    const runs = [...counts.values()].reduce((sum, n) => sum + n, 0)
    all += runs
    if (block === UNDER_WAY) left += runs
  }
  return left === 0 ? 0 : left / all
}
