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
  const [b, c] = [runsByPart(baseline), runsByPart(candidate)]
  const shifts = new Map<number, number>()
  let [chi, df, weight] = [0, 0, 0]
  for (const [part, own] of b) {
    const other = c.get(part)
    if (other === undefined) continue
    const [all, others] = [totalOf(own), totalOf(other)]
    const share = others / (all + others)
    const least = LEAST_EXPECTED / Math.min(share, 1 - share)
    const rare = { runs: 0, candidate: 0 }
    let columns = 0
    const add = (runs: number, ofCandidate: number): void => {
      const expected = runs * share
      chi += (ofCandidate - expected) ** 2 / (expected * (1 - share))
      columns += 1
    }
    const w = overlapWeight(all, others)
    weight += w
    for (const segment of new Set([...own.keys(), ...other.keys()])) {
      const [mine, theirs] = [own.get(segment) ?? 0, other.get(segment) ?? 0]
      shifts.set(segment, (shifts.get(segment) ?? 0) + w * (theirs / others - mine / all))
      if (mine + theirs >= least && segment !== REST) {
        add(mine + theirs, theirs)
      } else {
        rare.runs += mine + theirs
        rare.candidate += theirs
      }
    }
    if (rare.runs >= least) add(rare.runs, rare.candidate)
    df += Math.max(0, columns - 1)
  }
  const moved = [...shifts.values()].reduce((sum, shift) => sum + Math.abs(shift), 0) / 2
  return df > 0 && moved > LEAST_SHIFT * weight && normalOfChi(chi, df) > SIGNIFICANT
}

/** What χ² is of a standard normal variable (Wilson & Hilferty 1931). */
function normalOfChi(chi: number, df: number): number {
  const spread = 2 / (9 * df)
  return (Math.cbrt(chi / df) - 1 + spread) / Math.sqrt(spread)
}

function runsByPart({ cells }: SegmentSums): Map<number, Map<number, number>> {
  const parts = new Map<number, Map<number, number>>()
  for (const { block, segment, runs } of cells) {
    if (runs === 0) continue
    let own = parts.get(block)
    if (own === undefined) parts.set(block, (own = new Map()))
    own.set(segment, (own.get(segment) ?? 0) + runs)
  }
  return parts
}

function totalOf(runs: ReadonlyMap<number, number>): number {
  let total = 0
  for (const own of runs.values()) total += own
  return total
}
