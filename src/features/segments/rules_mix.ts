import { keepingLast } from './last.ts'
import { REST, SEGMENT_KINDS, type SegmentKind, type SegmentSums } from './rules_segments.ts'
import { overlapWeight } from '../../rules/statistics/stratified.ts'

/** The normal quantile of p < 0.01. */
const SIGNIFICANT = 2.326
/** Share of the runs that has to be of other segments. */
const LEAST_SHIFT = 0.02
/** Expected runs of the smaller side below which segments are counted together (Cochran 1954). */
const LEAST_EXPECTED = 5

interface Side {
  readonly segments: ReadonlyMap<SegmentKind, SegmentSums | undefined>
}

/** The kinds of which both sides have sums, and other shares. */
export function movedKinds(baseline: Side, candidate: Side): SegmentKind[] {
  return SEGMENT_KINDS.filter(kind => {
    const [b, c] = [baseline.segments.get(kind), candidate.segments.get(kind)]
    return b !== undefined && c !== undefined && lastMoved([b, c], '', () => isMixMoved(b, c))
  })
}

const lastMoved = keepingLast<boolean>()

/**
 * Whether the releases have different shares of segments at the same times: by χ² over the parts of the time (p < 0.01), and by more
 * than 2 points in all, half of Σ|p_c − p_b|. Where the mix moves over the day alike on both sides, it does not.
 */
export function isMixMoved(baseline: SegmentSums, candidate: SegmentSums): boolean {
  const places = new Map<number, number>()
  const [b, c] = [runsByPart(baseline, places), runsByPart(candidate, places)]
  const shifts = new Float64Array(places.size)
  const restAt = places.get(REST)
  let [chi, df, weight] = [0, 0, 0]
  for (const [part, own] of b) {
    const other = c.get(part)
    if (other === undefined) continue
    const [all, others] = [totalOf(own), totalOf(other)]
    const share = others / (all + others)
    const least = LEAST_EXPECTED / Math.min(share, 1 - share)
    let [columns, rare, rareOfCandidate] = [0, 0, 0]
    const add = (runs: number, ofCandidate: number): void => {
      const expected = runs * share
      chi += (ofCandidate - expected) ** 2 / (expected * (1 - share))
      columns += 1
    }
    const w = overlapWeight(all, others)
    weight += w
    for (let at = 0; at < places.size; at++) {
      const [mine, theirs] = [own[at] ?? 0, other[at] ?? 0]
      shifts[at]! += w * (theirs / others - mine / all)
      if (mine + theirs >= least && at !== restAt) {
        add(mine + theirs, theirs)
      } else {
        rare += mine + theirs
        rareOfCandidate += theirs
      }
    }
    if (rare >= least) add(rare, rareOfCandidate)
    df += Math.max(0, columns - 1)
  }
  const moved = shifts.reduce((sum, shift) => sum + Math.abs(shift), 0) / 2
  return df > 0 && moved > LEAST_SHIFT * weight && normalOfChi(chi, df) > SIGNIFICANT
}

/** What χ² is of a standard normal variable (Wilson & Hilferty 1931). */
function normalOfChi(chi: number, df: number): number {
  const spread = 2 / (9 * df)
  return (Math.cbrt(chi / df) - 1 + spread) / Math.sqrt(spread)
}

/**
 * Runs by part of the time, each as a list by the place of the segment, which `places` numbers as they come. Maps by segment would
 * take as long as the rest of a first diff's statistics.
 */
function runsByPart(sums: SegmentSums, places: Map<number, number>): Map<number, number[]> {
  const parts = new Map<number, number[]>()
  for (const { block, segment, runs } of sums.runs ?? sums.aggregates) {
    if (runs === 0) continue
    let at = places.get(segment)
    if (at === undefined) places.set(segment, (at = places.size))
    let own = parts.get(block)
    if (own === undefined) parts.set(block, (own = []))
    while (own.length <= at) own.push(0)
    own[at]! += runs
  }
  return parts
}

function totalOf(runs: readonly number[]): number {
  let total = 0
  for (const own of runs) total += own
  return total
}
