import { type Estimate, normalFactor, roundEstimate, squareAndAdd, steady } from './intervals.ts'

/**
 * Counts by logarithmic bin (DDSketch, Masson et al. 2019): bin i holds what is above γⁱ⁻¹ up to γⁱ, and stands for a
 * value that is within 1 % of all of that. Sketches of disjoint sets merge by adding counts, without loss.
 */
export type Sketch = ReadonlyMap<number, number>

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

/** The value that a bin stands for. */
export function valueOfBin(bin: number): number {
  return bin === ZERO_BIN ? 0 : steady((2 * Math.exp(bin * LOG_GAMMA)) / (GAMMA + 1))
}

export function mergeSketches(parts: readonly Sketch[]): Sketch {
  const merged = new Map<number, number>()
  for (const part of parts) {
    for (const [bin, count] of part) merged.set(bin, (merged.get(bin) ?? 0) + count)
  }
  return merged
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

/** The p-quantile of a sketch's values with its interval; null where there are too few of them. */
export function quantile(sketch: Sketch, p: number, alpha?: number): Estimate | null {
  const bins = [...sketch].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const n = bins.reduce((sum, [, count]) => sum + count, 0)
  const ranks = quantileRanks(n, p, alpha)
  if (ranks === undefined) return null
  const at = (rank: number): number => {
    let seen = 0
    const found = bins.find(([, count]) => (seen += count) >= rank)
    return valueOfBin(found![0])
  }
  return { estimate: at(Math.max(1, Math.ceil(n * p))), low: at(ranks.low), high: at(ranks.high) }
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
