import { niceTicks } from './scale.ts'

export interface Bins {
  readonly width: number
  readonly count: number
}

export interface Histogram extends Bins {
  /** Share of the values in each bin; null where there are no values. */
  readonly shares: readonly (number | null)[]
}

/** About so many bins show a shape without showing chance. */
const WANTED = 24

/** Bins of a round width from 0 on. The last one also holds what lies beyond: one run of hours would flatten all others. */
export function binsOf(values: readonly number[]): Bins {
  const end = values.length === 0 ? 1 : quantileOf(values, 0.995) * 1.05 || 1
  const width = niceTicks((end / WANTED) * 3)[1]!
  return { width, count: Math.max(1, Math.ceil(end / width)) }
}

export function histogramOf(values: readonly number[], { width, count }: Bins): Histogram {
  const counts = Array.from({ length: count }, () => 0)
  for (const value of values) counts[Math.min(count - 1, Math.floor(value / width))]! += 1
  return {
    width,
    count,
    shares: counts.map(each => (values.length === 0 ? null : each / values.length)),
  }
}

/** The value that a share of all stays within (nearest rank); of at least one value. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!
}
