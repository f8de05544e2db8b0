import type { Runs } from './traffic.ts'

const CONFIDENCE_Z = 2.3263478740408408
const TOLERANCE = 0.25

/**
 * Whether Kayenta's judge would let a candidate pass: it calls a metric high where the lower 98 % limit of the
 * Mann-Whitney shift is above a quarter of the estimated shift, and the means are `allowedIncrease` apart. Without its
 * correction for ties.
 */
export function kayenta(baseline: Runs, candidate: Runs, allowedIncrease: number): boolean {
  const [y, x] = [sorted(baseline), sorted(candidate)]
  const ratio = mean(candidate) / mean(baseline)
  const estimate = shiftAt(x, y, 0)
  const isHigh = shiftAt(x, y, CONFIDENCE_Z) > TOLERANCE * Math.abs(estimate) && ratio >= allowedIncrease
  return !isHigh
}

function sorted({ sums }: Runs): Float64Array {
  return Float64Array.from({ length: sums.length - 1 }, (_, i) => sums[i + 1]! - sums[i]!).sort()
}

function mean({ sums }: Runs): number {
  return sums.at(-1)! / (sums.length - 1)
}

/** The shift of x at which the rank sum is `z` standard errors above what equal distributions would give. */
function shiftAt(x: Float64Array, y: Float64Array, z: number): number {
  const pairs = x.length * y.length
  const wanted = pairs / 2 + z * Math.sqrt((pairs * (x.length + y.length + 1)) / 12) + (z === 0 ? 0 : 0.5)
  let [low, high] = [x[0]! - y.at(-1)! - 1, x.at(-1)! - y[0]! + 1]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (wins(x, y, middle) > wanted) low = middle
    else high = middle
  }
  // Values are whole; where many are equal the shift is exactly 0.
  return Math.round((low + high) / 2)
}

/** Pairs in which x less the shift is above y, ties half. */
function wins(x: Float64Array, y: Float64Array, shift: number): number {
  let [below, notAbove, count] = [0, 0, 0]
  for (const value of x) {
    while (below < y.length && y[below]! < value - shift) below += 1
    while (notAbove < y.length && y[notAbove]! <= value - shift) notAbove += 1
    count += (below + notAbove) / 2
  }
  return count
}
