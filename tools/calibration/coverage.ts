import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import type { Estimate } from '../../src/rules/statistics/intervals.ts'
import type { CompareOptions } from '../../src/rules/statistics/metric.ts'
import type { Sample } from '../../src/rules/statistics/samples.ts'
import { type Sketch, binOf } from '../../src/rules/statistics/bins.ts'
import { compareQuantiles } from '../../src/rules/statistics/sketch.ts'
import {
  BLOCKS,
  type Random,
  type Runs,
  type Shape,
  byLabel,
  errors,
  inBlocks,
  randomOf,
  tenants,
} from './traffic.ts'

/** How the runs of a side are cut into clusters. */
export type Cut = (runs: Runs, n: number, side?: string) => Sample

/** Alone they are all in one cluster, which says nothing of how they depend on each other. */
export const alone: Cut = (runs, n) => inBlocks(runs, n, 1)
export const inTime: Cut = (runs, n) => inBlocks(runs, n, BLOCKS)

/** Shares of intervals that hold the truth. */
export interface Coverage {
  readonly difference: number
  readonly relative: number
}

/** How often intervals of two unchanged sides hold 0. */
export function coverage(
  name: string,
  pair: (random: Random) => readonly [Sample, Sample],
  { reps, seed, rate = false, options = {} }: CoverageOptions,
): Coverage {
  const random = randomOf(seed, name)
  let [difference, relative] = [0, 0]
  for (let i = 0; i < reps; i++) {
    const statistics = (rate ? compareRates : compareMeans)(...pair(random), options)
    if (holdsZero(statistics.difference)) difference += 1
    if (holdsZero(statistics.relative_change)) relative += 1
  }
  return { difference: difference / reps, relative: relative / reps }
}

interface CoverageOptions {
  readonly reps: number
  readonly seed: number
  readonly rate?: boolean
  readonly options?: CompareOptions
}

function holdsZero(estimate: Estimate | null): boolean {
  if (estimate === null) return false
  const { low, high } = estimate
  return low === null || high === null || (low <= 0 && high >= 0)
}

/** Draws both sides of a shape, unchanged. */
export function unchanged(
  shape: Shape,
  baselineRuns: number,
  candidateRuns: number,
  cut: Cut,
): (random: Random) => readonly [Sample, Sample] {
  return random => [
    cut(shape(random, baselineRuns, 0), baselineRuns),
    cut(shape(random, candidateRuns, 0), candidateRuns),
  ]
}

/** Sessions of one side are not those of the other. */
export function bySession(shape: Shape, n: number): (random: Random) => readonly [Sample, Sample] {
  return random => [byLabel(shape(random, n, 0), n, 'b'), byLabel(shape(random, n, 0), n, 'c')]
}

export function byTenant(
  routing: 'runs' | 'tenants',
  n: number,
  cut: Cut,
): (random: Random) => readonly [Sample, Sample] {
  return random => {
    const [baseline, candidate] = tenants(random, n, routing)
    return [cut(baseline, n), cut(candidate, n)]
  }
}

/** Errors of 1 %. */
export const RARE_ERRORS: Shape = errors(0.01)

/** How often the interval of a quantile, and of a difference of quantiles of equal sides, holds the truth. */
export function quantileCoverage(
  name: string,
  n: number,
  p: number,
  truth: number,
  reps: number,
  seed: number,
): { readonly quantile: number; readonly difference: number } {
  const random = randomOf(seed, name)
  const side = (): Sketch => {
    const values = Array.from({ length: n }, () => Math.ceil(1000 * Math.exp(random.normal())))
    const counts = new Map<number, number>()
    for (const bin of values.map(binOf)) counts.set(bin, (counts.get(bin) ?? 0) + 1)
    return { counts, largest: Math.max(...values) }
  }
  let [quantile, difference] = [0, 0]
  for (let i = 0; i < reps; i++) {
    const compared = compareQuantiles(side(), side(), p)
    const { low, high } = compared.baseline!
    // Values are whole, and so is their quantile.
    if (low! <= Math.ceil(truth) && high! >= Math.ceil(truth)) quantile += 1
    if (holdsZero(compared.difference)) difference += 1
  }
  return { quantile: quantile / reps, difference: difference / reps }
}
