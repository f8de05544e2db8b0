/** Scores are added up as integers, so that sums are exact and the same on every database: six decimals count. */
export const MILLION = 1_000_000

export function toMillionths(score: number): number {
  return Math.round(score * MILLION)
}

/** How many values, Σ and Σ² of them, in millionths. */
export interface ScoreSums {
  readonly n: number
  readonly sum: number
  readonly sum_of_squares: number
}

/** The sums of one score over the cases that have it. */
export function sumsOf(scores: readonly number[]): ScoreSums {
  const values = scores.map(toMillionths)
  return {
    n: values.length,
    sum: values.reduce((total, value) => total + value, 0),
    sum_of_squares: values.reduce((total, value) => total + value * value, 0),
  }
}
