import type { Pairs } from '../../../src/features/scores/rules_paired.ts'

/** Cases with a score on both sides. Graded, without clusters and tried once, unless `more` says otherwise. */
export function pairsOf(
  before: readonly number[],
  after: readonly number[],
  more: Partial<Pairs> = {},
): Pairs {
  return {
    before: Float64Array.from(before),
    after: Float64Array.from(after),
    differences: Float64Array.from(before, (value, index) => after[index]! - value),
    clusters: null,
    isBinary: false,
    epochs: 1,
    ...more,
  }
}
