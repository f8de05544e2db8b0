import { type Estimate, normalFactor, roundEstimate, squareAndAdd } from './intervals.ts'

/** Whole numbers, say latencies in ms, counted by logarithmic bin. */
export interface Sketch {
  /**
   * Counts by bin (DDSketch, Masson et al. 2019): bin i holds what is above γⁱ⁻¹ up to γⁱ. Those of disjoint sets add up
   * without loss.
   */
  readonly counts: ReadonlyMap<number, number>
  /** No value is larger; null where that isn't known. */
  readonly largest: number | null
  /** The sum of all values; left out where it isn't known exactly. */
  readonly sum?: number
}

const ACCURACY = 0.01
const GAMMA = (1 + ACCURACY) / (1 - ACCURACY)
/** Bins are of this width, of the natural logarithm. */
export const LOG_GAMMA = Math.log(GAMMA)

/** The bin of 0, and of what is nearly 0; fits 16 bits. Values from 1 on have bins from 0 on. */
export const ZERO_BIN = -32_768

/** The bin of a value from 0 on. */
export function binOf(value: number): number {
  return value > 0 ? Math.max(ZERO_BIN, Math.ceil(Math.log(value) / LOG_GAMMA)) : ZERO_BIN
}

/** The smallest and the largest whole number that a bin holds; of one that holds values there are some. */
export function edgesOfBin(bin: number): readonly [smallest: number, largest: number] {
  if (bin === ZERO_BIN) return [0, 0]
  return [Math.floor(Math.exp((bin - 1) * LOG_GAMMA)) + 1, Math.floor(Math.exp(bin * LOG_GAMMA))]
}

/** Two ranks, from 1 on, that hold a quantile between them. */
export interface Ranks {
  readonly low: number
  readonly high: number
}

/** Fewer values than these say nothing of a median. */
const LEAST_VALUES = 20

/**
 * Ranks of n values whose distance covers the p-quantile (Deng et al. 2018). Undefined where that takes more values: the
 * median needs 20 of them, p95 73 and p99 381.
 */
export function quantileRanks(n: number, p: number, alpha?: number): Ranks | undefined {
  const margin = normalFactor(alpha) * Math.sqrt(n * p * (1 - p))
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
  const n = bins.reduce((sum, [, count]) => sum + count, 0)
  const ranks = quantileRanks(n, p, alpha)
  if (ranks === undefined) return null
  const { largest } = sketch
  const isConstant = largest !== null && sketch.sum === n * largest
  const edges = (rank: number): readonly [number, number] => {
    let seen = 0
    const [bin] = bins.find(([, count]) => (seen += count) >= rank)!
    const [low, high] = edgesOfBin(bin)
    return isConstant ? [largest, largest] : [low, Math.min(high, largest ?? high)]
  }
  return {
    estimate: edges(Math.max(1, Math.ceil(n * p)))[1],
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
