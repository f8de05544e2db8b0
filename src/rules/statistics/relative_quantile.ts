import type { Estimate, IntervalKind } from './intervals.ts'
import type { Count } from './rates.ts'
import { type BinCounts, LOG_GAMMA } from './bins.ts'
import { type Overlap, type Pair, type UnitKind, matchedRates, overlapWeight } from './stratified.ts'

/** How many bins a quantile may move: from −91 % to +2,350 %. */
const [LEAST_SHIFT, MOST_SHIFT] = [-120, 160]

/** How much a quantile of the candidate is above the baseline's, as a fraction, and over what it is compared. */
export interface QuantileChange {
  readonly overlap: Overlap
  /** Ends beyond the shifts that are looked at are null; of what is proven to lie beyond, the nearest shift is the end. */
  readonly relative_change: Estimate
  /** Bins that the quantile moved, as low and high end. */
  readonly shift: { readonly low: number | null; readonly high: number | null }
  /** The bin of the baseline's quantile, and the part of it that is above. */
  readonly bin: number
  readonly part: number
}

/**
 * The relative change of the p-quantile over blocks or segments that both sides share. A shift by s bins is within the
 * interval where the share of candidate runs above the shifted baseline's quantile doesn't differ from 1 − p: the rates
 * of {@link matchedRates}, so that dependence between units counts. Good to a bin (2 %) where values tie. Undefined where
 * nothing is shared.
 */
export function quantileChange(
  pairs: readonly Pair<BinCounts>[],
  p: number,
  units: UnitKind,
  interval: IntervalKind,
): QuantileChange | undefined {
  const blocks = pairs.map(({ baseline, candidate }) => ({
    baseline: tailOf(baseline),
    candidate: tailOf(candidate),
  }))
  const found = weightedQuantile(blocks, p)
  if (found === undefined) return undefined
  let overlap: Overlap | undefined
  const change = shiftedQuantile(found, shift => {
    const rates = matchedRates(
      blocks.map(({ baseline, candidate }) => ({
        baseline: eventsAbove(baseline, found.bin, found.part),
        candidate: eventsAbove(candidate, found.bin + shift, found.part),
      })),
      units,
      interval,
    )
    overlap ??= rates?.overlap
    return rates?.difference
  })
  return change === undefined ? undefined : { overlap: overlap!, ...change }
}

/** Runs above a bin, and a part of those in it. */
export function eventsAbove({ runs, above, within }: Tail, bin: number, part: number): Count {
  return { runs, events: above(bin) + part * within(bin) }
}

/**
 * The change of a quantile that is in a part of a bin: the shifts for which the difference of the shares above doesn't
 * leave 0 out. Undefined where there is no difference.
 */
export function shiftedQuantile(
  { bin, part }: { readonly bin: number; readonly part: number },
  differenceOf: (shift: number) => Estimate | undefined,
): Omit<QuantileChange, 'overlap'> | undefined {
  const kept = new Map<number, Estimate | undefined>()
  const differenceAt = (shift: number): Estimate | undefined => {
    if (!kept.has(shift)) kept.set(shift, differenceOf(shift))
    return kept.get(shift)
  }
  if (differenceAt(0) === undefined) return undefined
  const low = crossing(shift => differenceAt(shift)!.low!, null, MOST_SHIFT)
  const high = crossing(shift => differenceAt(shift)!.high!, LEAST_SHIFT, null)
  const middle = crossing(shift => differenceAt(shift)!.estimate, LEAST_SHIFT, MOST_SHIFT)
  return {
    relative_change: {
      estimate: changeOf(middle ?? 0),
      low: low === null ? null : changeOf(low),
      high: high === null ? null : changeOf(high),
    },
    shift: { low, high },
    bin,
    part,
  }
}

function changeOf(shift: number): number {
  return Math.expm1(shift * LOG_GAMMA)
}

/**
 * Where a function that falls with the shift passes 0, interpolated between bins; `before` or `behind` where it does
 * below the least or above the largest shift.
 */
function crossing(
  value: (shift: number) => number,
  before: number | null,
  behind: number | null,
): number | null {
  let [above, below] = [LEAST_SHIFT, MOST_SHIFT]
  if (value(above) < 0) return before
  if (value(below) > 0) return behind
  if (!(value(above) > 0) || !(value(below) <= 0)) return null
  while (below - above > 1) {
    const middle = Math.floor((above + below) / 2)
    if (value(middle) > 0) above = middle
    else below = middle
  }
  const [first, second] = [value(above), value(below)]
  return above + first / (first - second)
}

/** Runs of one side in one block, by how far up their latency is. */
export interface Tail {
  readonly runs: number
  readonly bins: readonly number[]
  /** Runs in bins above one. */
  readonly above: (bin: number) => number
  /** Runs in one bin. */
  readonly within: (bin: number) => number
}

export function tailOf(sketch: BinCounts): Tail {
  const bins = [...sketch.keys()].sort((a, b) => a - b)
  const counts = bins.map(bin => sketch.get(bin)!)
  const runs = counts.reduce((sum, count) => sum + count, 0)
  return {
    runs,
    bins,
    above: bin => bins.reduce((sum, own, index) => (own > bin ? sum + counts[index]! : sum), 0),
    within: bin => sketch.get(bin) ?? 0,
  }
}

/** The bin of the baseline's p-quantile by the weights of the overlap, and the part of it above which 1 − p lies. */
export function weightedQuantile(
  blocks: readonly Pair<Tail>[],
  p: number,
): { readonly bin: number; readonly part: number } | undefined {
  const shared = blocks.filter(({ baseline, candidate }) => baseline.runs > 0 && candidate.runs > 0)
  if (shared.length === 0) return undefined
  const weights = shared.map(({ baseline, candidate }) => overlapWeight(baseline.runs, candidate.runs))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const share = (of: (tail: Tail) => number): number =>
    shared.reduce((sum, { baseline }, index) => sum + (weights[index]! * of(baseline)) / baseline.runs, 0) /
    total
  const bins = [...new Set(shared.flatMap(({ baseline }) => baseline.bins))].sort((a, b) => b - a)
  let above = 0
  for (const bin of bins) {
    const within = share(tail => tail.within(bin))
    if (above + within >= 1 - p) return { bin, part: (1 - p - above) / within }
    above += within
  }
  return { bin: bins.at(-1)!, part: 1 }
}
