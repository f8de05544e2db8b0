/** How many values, their mean, and the sum of their squared distances from it. */
export interface Moments {
  readonly n: number
  readonly mean: number
  readonly m2: number
}

export const NO_MOMENTS: Moments = { n: 0, mean: 0, m2: 0 }

/** Moments of two disjoint sets of values together (Chan, Golub & LeVeque 1983). */
export function mergeMoments(a: Moments, b: Moments): Moments {
  if (a.n === 0) return b
  if (b.n === 0) return a
  const n = a.n + b.n
  const distance = b.mean - a.mean
  return {
    n,
    mean: a.mean + (distance * b.n) / n,
    m2: a.m2 + b.m2 + distance * distance * ((a.n * b.n) / n),
  }
}

/**
 * Moments of the sum of several parts of the same runs, of which only each part's own moments are known, say the cost
 * of each model that a run used. Means add up; so do standard deviations, which bounds the spread from above
 * (Minkowski). A run without a part counts in it with 0.
 */
export function sumOfParts(runs: number, parts: readonly Moments[]): Moments {
  let [mean, deviation] = [0, 0]
  for (const part of parts) {
    const padded = mergeMoments(part, { n: runs - part.n, mean: 0, m2: 0 })
    mean += padded.mean
    deviation += Math.sqrt(padded.m2)
  }
  return { n: runs, mean, m2: deviation * deviation }
}

/** Unbiased variance; 0 where fewer than two values say nothing about it. */
export function varianceOf({ n, m2 }: Moments): number {
  return n < 2 ? 0 : m2 / (n - 1)
}

/** Coefficient of variation: standard deviation by mean; 0 where the mean is 0. */
export function variationOf(moments: Moments): number {
  return moments.mean > 0 ? Math.sqrt(varianceOf(moments)) / moments.mean : 0
}

/** Adds integers without loss: as a double while that is exact, as a BigInt beyond. Refuses what is no integer. */
export class ExactSum {
  #small = 0
  #large = 0n

  add(value: number): void {
    const next = this.#small + value
    if (Number.isSafeInteger(next)) {
      this.#small = next
    } else {
      this.#large += BigInt(this.#small) + BigInt(value)
      this.#small = 0
    }
  }

  get exact(): bigint {
    return this.#large + BigInt(this.#small)
  }

  /** The double next to it. */
  get rounded(): number {
    return this.#large === 0n ? this.#small : Number(this.exact)
  }
}

/**
 * Σ(x − x̄)(y − ȳ) of n pairs from their sums, the same in whatever order those were added up: only the result is
 * rounded.
 */
export function centredProduct(n: number, sumX: bigint, sumY: bigint, sumXY: bigint): number {
  return n === 0 ? 0 : Number(BigInt(n) * sumXY - sumX * sumY) / n
}

/** Moments of n integers from their sum and sum of squares. */
export function momentsOfSums(n: number, sum: bigint, sumOfSquares: bigint): Moments {
  if (n === 0) return NO_MOMENTS
  return {
    n,
    mean: Number(sum) / n,
    m2: orNothing(centredProduct(n, sum, sum, sumOfSquares), Number(sumOfSquares)),
  }
}

/** The same of values that are no integers, to the digits that sums of doubles have. */
export function momentsOfDoubles(n: number, sum: number, sumOfSquares: number): Moments {
  return n === 0
    ? NO_MOMENTS
    : { n, mean: sum / n, m2: orNothing(sumOfSquares - (sum * sum) / n, sumOfSquares) }
}

/**
 * A sum of squared distances, or 0 where it is so small beside the sum of squares that it may be rounding: sums that
 * came as doubles hold no more than 2^53 exactly.
 */
export function orNothing(m2: number, sumOfSquares: number): number {
  return m2 < SPREAD_FLOOR * sumOfSquares ? 0 : m2
}

const SPREAD_FLOOR = 1e-12
