import {
  ALPHA,
  type Estimate,
  normalFactor,
  roundEstimate,
  squareAndAdd,
  studentFactor,
} from './intervals.ts'
import { type BinCounts, type Sketch, edgesOfBin } from './bins.ts'

/** Two ranks, from 1 on, that hold a quantile between them. */
export interface Ranks {
  readonly low: number
  readonly high: number
}

/** Fewer values than these say nothing of a median. */
const LEAST_VALUES = 20

/** How much values of a block resemble each other. */
export interface Dependence {
  /** How many times the variance of independent values that of a share of them is; at least 1. */
  readonly design_effect: number
  /** How well that is known; infinite where the values are taken as independent. */
  readonly df: number
}

const INDEPENDENT: Dependence = { design_effect: 1, df: Infinity }

/** Where a quantile is: a bin, and the part of it that lies above. Of many equal values it is a part of these. */
interface BinPosition {
  readonly bin: number
  readonly part: number
}

/**
 * How much the share 1 − p of values above the p-quantile varies between blocks of time, by the delete-one jackknife.
 * Values of a single block are taken as independent.
 */
export function dependenceAbove(
  blocks: readonly BinCounts[],
  { bin, part }: BinPosition,
  p: number,
): Dependence {
  const counted = blocks.map(counts => {
    let [n, above] = [0, 0]
    counts.forEach((count, own) => {
      n += count
      if (own >= bin) above += own === bin ? part * count : count
    })
    return { n, above }
  })
  const [n, above] = [sumOf(counted.map(own => own.n)), sumOf(counted.map(own => own.above))]
  if (counted.some(own => own.n === n)) return INDEPENDENT
  const between = sumOf(counted.map(own => ((own.above - (above * own.n) / n) / (n - own.n)) ** 2))
  const independent = (p * (1 - p)) / n
  if (!(between > independent)) return INDEPENDENT
  const effective_blocks = (n * n) / sumOf(counted.map(own => own.n * own.n))
  return {
    design_effect: between / independent,
    df: (effective_blocks - 1) * (between / (between - independent)) ** 2,
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/**
 * Ranks of n values whose distance covers the p-quantile (Deng et al. 2018). Undefined where that takes more values: the
 * median needs 20 independent ones, p95 73 and p99 381.
 */
export function quantileRanks(
  n: number,
  p: number,
  { design_effect, df }: Dependence = INDEPENDENT,
  alpha = ALPHA,
): Ranks | undefined {
  const factor = design_effect === 1 ? normalFactor(alpha) : studentFactor(df, alpha)
  const margin = factor * Math.sqrt(n * design_effect * p * (1 - p))
  const high = Math.ceil(n * p + margin)
  if (n < LEAST_VALUES || high > n) return undefined
  return { low: Math.max(1, Math.floor(n * p - margin)), high }
}

/** Fewest values that say something of the p-quantile. */
export function leastOfQuantile(p: number): number {
  let n = LEAST_VALUES
  while (quantileRanks(n, p) === undefined) n += 1
  return n
}

/**
 * The p-quantile of a sketch's values with its interval; null where there are too few of them. Ends are edges of bins, so
 * that the interval holds all values that the ranks may be; the estimate is the upper edge of its bin.
 */
export function quantile(sketch: Sketch, p: number, alpha?: number): Estimate | null {
  const bins = [...sketch.counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const n = sumOf(bins.map(([, count]) => count))
  if (n < LEAST_VALUES) return null
  const binAt = (rank: number): number => {
    let seen = 0
    return bins.find(([, count]) => (seen += count) >= rank)![0]
  }
  const middle = Math.max(1, Math.ceil(n * p))
  const bin = binAt(middle)
  const above = sumOf(bins.map(([own, count]) => (own > bin ? count : 0)))
  const place = { bin, part: Math.max(0, n * (1 - p) - above) / sketch.counts.get(bin)! }
  const ranks = quantileRanks(n, p, dependenceAbove(sketch.blocks ?? [], place, p), alpha)
  if (ranks === undefined) return null
  const { largest } = sketch
  const isConstant = largest !== null && sketch.sum === n * largest
  const edges = (rank: number): readonly [number, number] => {
    const [low, high] = edgesOfBin(binAt(rank))
    return isConstant ? [largest, largest] : [low, Math.min(high, largest ?? high)]
  }
  return {
    estimate: edges(middle)[1],
    low: edges(ranks.low)[0],
    high: edges(ranks.high)[1],
  }
}

/** A quantile on both sides and its difference, candidate less baseline; null where a side has too few values. */
export interface QuantileComparison {
  readonly baseline: Estimate | null
  readonly candidate: Estimate | null
  readonly difference: Estimate | null
}

export function compareQuantiles(
  baseline: Sketch,
  candidate: Sketch,
  p: number,
  alpha?: number,
): QuantileComparison {
  const [b, c] = [quantile(baseline, p, alpha), quantile(candidate, p, alpha)]
  return {
    baseline: b,
    candidate: c,
    difference: b === null || c === null ? null : roundEstimate(squareAndAdd(b, c)),
  }
}
