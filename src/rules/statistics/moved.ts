/** A block of time as it is compared: its number, its weight, and both values. */
export interface BlockValues {
  readonly block: number
  readonly weight: number
  readonly baseline: number
  readonly candidate: number
}

/** Blocks from `first` to before `end` in which the difference is another one than in the rest. */
export interface Moved {
  readonly first: number
  readonly end: number
  /** Share of the spread between the blocks that is between these and the rest. */
  readonly share: number
  /** Values in the rest, and in these blocks. */
  readonly baseline: readonly [rest: number, here: number]
  readonly candidate: readonly [rest: number, here: number]
}

/** Least share of the spread that a part of the time makes for it to be the reason. */
const LEAST_SHARE = 0.5

/**
 * How far the part must be from the rest, in squared standard errors of independent runs. It is the farthest of up to
 * 1,128 parts of 48 blocks, so that chance reaches this in fewer than 5 of 100 comparisons.
 */
const LEAST_CHI_SQUARE = 16

/** Of parts of fewer pairs of runs than these chance makes more, the more skewed values are or the rarer failures. */
const FEW_RUNS = 10

/** What a moment makes of the spread, by what the part makes that makes most, for the values to have moved at it. */
const AS_MUCH = 0.9

/** Blocks over which what differs may carry on: sessions reach over some. */
const CARRIES_OVER = 3

/**
 * The share of the spread that the part which makes most of it makes by chance in 1 of 200 comparisons, where blocks only
 * differ from hour to hour: F(F + k − 2)⁻¹ of k blocks, F as simulated for 8 to 48 of them.
 */
function shareByChance(blocks: number): number {
  const f = 24 + 2900 / blocks ** 2
  return f / (f + blocks - 2)
}

/**
 * The part of the time, without a gap, that makes most of the spread between blocks: a block, or all from a moment on.
 * `variance` is that of the difference of independent runs, or sessions. Undefined where no part makes half of it, or chance
 * may.
 */
export function movedIn(blocks: readonly BlockValues[], variance: number): Moved | undefined {
  const weight = blocks.reduce((sum, own) => sum + own.weight, 0)
  const mean = blocks.reduce((sum, own) => sum + own.weight * (own.candidate - own.baseline), 0) / weight
  const off = blocks.map(({ baseline, candidate }) => candidate - baseline - mean)
  const all = blocks.reduce((sum, own, index) => sum + own.weight * off[index]! ** 2, 0)
  const nothing = { made: 0, weight: 0, from: 0, to: 0 }
  let [most, sinceThen] = [nothing, nothing]
  // The first block is in the rest: what ends before a moment is what begins at it.
  for (let from = 1; from < blocks.length; from++) {
    let [inside, moved] = [0, 0]
    for (let to = from; to < blocks.length; to++) {
      inside += blocks[to]!.weight
      moved += blocks[to]!.weight * off[to]!
      const made = moved * moved * (1 / inside + 1 / (weight - inside))
      const isLast = to === blocks.length - 1
      if (made <= most.made && !(isLast && made > sinceThen.made)) continue
      const part = { made, weight: inside, from, to: to + 1 }
      if (made > most.made) most = part
      if (isLast && made > sinceThen.made) sinceThen = part
    }
  }
  const best = sinceThen.made >= AS_MUCH * most.made ? sinceThen : most
  const level =
    blocks.reduce((sum, own) => sum + own.weight * (own.baseline + own.candidate), 0) / (2 * weight)
  const ofOneRun = variance * weight
  const few = FEW_RUNS * (1 + ofOneRun / level ** 2)
  const byRuns = LEAST_CHI_SQUARE * (1 + few / best.weight) * ofOneRun
  const isByChance = (carried: number): boolean =>
    best.made < Math.max(LEAST_SHARE, shareByChance(blocks.length / carried)) * all ||
    best.made < carried * byRuns
  if (best.made === 0 || isByChance(1)) return undefined
  const isHere = (index: number): boolean => index >= best.from && index < best.to
  if (isByChance(carriedOver(off.map((own, index) => (isHere(index) ? undefined : own))))) return undefined
  const levels = (side: 'baseline' | 'candidate'): readonly [number, number] => [
    meanOf(
      blocks.filter((_own, index) => !isHere(index)),
      side,
    ),
    meanOf(
      blocks.filter((_own, index) => isHere(index)),
      side,
    ),
  ]
  return {
    first: blocks[best.from]!.block,
    end: blocks[best.to - 1]!.block + 1,
    share: best.made / all,
    baseline: levels('baseline'),
    candidate: levels('candidate'),
  }
}

/**
 * How many times the variance of their mean is that of blocks which don't depend on each other, by what they have in common
 * with those after them; undefined ones are left out.
 */
function carriedOver(values: readonly (number | undefined)[]): number {
  const known = values.filter(own => own !== undefined)
  const mean = known.reduce((sum, own) => sum + own, 0) / known.length
  const squares = known.reduce((sum, own) => sum + (own - mean) ** 2, 0)
  let products = 0
  for (let lag = 1; lag <= CARRIES_OVER; lag++) {
    let product = 0
    for (const [index, own] of values.entries()) {
      const later = values[index + lag]
      if (own !== undefined && later !== undefined) product += (own - mean) * (later - mean)
    }
    if (product <= 0) break
    products += product
  }
  return squares === 0 ? 1 : 1 + (2 * products) / squares
}

function meanOf(blocks: readonly BlockValues[], side: 'baseline' | 'candidate'): number {
  const weight = blocks.reduce((sum, own) => sum + own.weight, 0)
  return blocks.reduce((sum, own) => sum + own.weight * own[side], 0) / weight
}
