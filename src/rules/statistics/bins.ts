/** How many values each bin holds. */
export type BinCounts = ReadonlyMap<number, number>

/** Whole numbers, say latencies in ms, counted by logarithmic bin. */
export interface Sketch {
  /**
   * Counts by bin (DDSketch, Masson et al. 2019): bin i holds what is above γⁱ⁻¹ up to γⁱ. Those of disjoint sets add up
   * without loss.
   */
  readonly counts: BinCounts
  /** No value is larger; null where that isn't known. */
  readonly largest: number | null
  /** The sum of all values; left out where it isn't known exactly. */
  readonly sum?: number
  /** The same counts, or those of a part of the values, by block of time: how much blocks differ widens intervals. */
  readonly blocks?: readonly BinCounts[]
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
