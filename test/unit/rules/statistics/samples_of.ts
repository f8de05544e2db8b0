import {
  type IntegerAggregate,
  type Moments,
  type Sample,
  type UsageAggregate,
  sampleOf,
} from '../../../../src/rules/statistics/samples.ts'

/** Moments of n values with this mean and standard deviation. */
export function momentsOf(n: number, mean: number, deviation: number): Moments {
  return { n, mean, m2: deviation * deviation * (n - 1) }
}

/** Blocks of time in turn: any number of values from 24 on are in all of them. */
export const blocks = (index: number): string => String(index % 24)

/** Whole values, each in the cluster that `clusterOf` gives it. */
export function valuesSample(
  values: readonly number[],
  clusterOf: (index: number) => string = () => 'all',
): Sample {
  return sampleOf(aggregatesOfValues(values, clusterOf))
}

export function aggregatesOfValues(
  values: readonly number[],
  clusterOf: (index: number) => string = () => 'all',
): IntegerAggregate[] {
  return values.map((value, index) => ({
    cluster: clusterOf(index),
    n: 1,
    sum: value,
    sum_of_squares: value * value,
  }))
}

/** An aggregate of runs with these tokens each, of three kinds, and nothing else. */
export function tokenAggregate(
  runs: readonly (readonly number[])[],
  given: Partial<UsageAggregate> = {},
): UsageAggregate {
  const kinds = runs[0]!.length
  const pairs = Array.from({ length: kinds }, (_, i) => i).flatMap(i =>
    Array.from({ length: kinds - i }, (_, offset) => [i, i + offset] as const),
  )
  return {
    cluster: 'all',
    model: 'm1',
    runs: runs.length,
    errors: 0,
    latency_count: 0,
    latency_sum_ms: 0,
    latency_sum_ms2: 0,
    token_sums: Array.from({ length: kinds }, (_, kind) => sum(runs.map(run => run[kind]!))),
    token_products: pairs.map(([i, j]) => sum(runs.map(run => run[i]! * run[j]!))),
    ...given,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** All numbers of a JSON value. */
export function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
