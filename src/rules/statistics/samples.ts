import { MINUTE_MS } from '../../base/time.ts'

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

/** Standard deviations above the mean below which nearly all values lie: 99 % of log-normal ones. */
const NEARLY_ALL = 4

/** How long nearly all runs last at most, ms; 0 where that is no more than a minute, which makes no difference. */
export function nearlyAllLast(latency: Moments): number {
  const lasts = latency.mean + NEARLY_ALL * Math.sqrt(varianceOf(latency))
  return lasts <= MINUTE_MS ? 0 : lasts
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
 * A sum of squared distances, or 0 where it is so small compared with the sum of squares that it may be rounding: sums that
 * came as doubles hold no more than 2^53 exactly.
 */
export function orNothing(m2: number, sumOfSquares: number): number {
  return m2 < SPREAD_FLOOR * sumOfSquares ? 0 : m2
}

/** Share of a sum of squares below which a spread may be rounding. */
export const SPREAD_FLOOR = 1e-12

/** The values of one metric on one side: all together, and by cluster. */
export interface Sample {
  readonly moments: Moments
  readonly clusters: ReadonlyMap<string, ClusterSum>
  /** The moments of each block of time, by its number. Undefined where clusters are no blocks of time. */
  readonly blocks?: (() => ReadonlyMap<number, Moments>) | undefined
  /** The clusters of each block, where these are sessions or tenants. */
  readonly members?: (() => ReadonlyMap<number, ReadonlyMap<string, ClusterSum>>) | undefined
}

export interface ClusterSum {
  readonly n: number
  readonly sum: number
}

/** Several samples as one: a cluster of one is the same cluster in the others. */
export function pooled(samples: readonly Sample[]): Pick<Sample, 'moments' | 'clusters'> {
  const clusters = new Map<string, ClusterSum>()
  for (const [name, { n, sum }] of samples.flatMap(sample => [...sample.clusters])) {
    const before = clusters.get(name) ?? { n: 0, sum: 0 }
    clusters.set(name, { n: before.n + n, sum: before.sum + sum })
  }
  return { moments: samples.map(({ moments }) => moments).reduce(mergeMoments, NO_MOMENTS), clusters }
}

/** n integers of one cluster: their sum and sum of squares. */
export interface IntegerAggregate extends ClusterSum {
  readonly cluster: string
  readonly sum_of_squares: number
}

/**
 * What rollups or raw rows hold of the runs of one cluster that used one model. Runs of one cluster (a block of time, a
 * session, a tenant) may depend on each other; a name that both sides have is the same cluster. Any number of aggregates may
 * share a cluster and a model. All numbers are integers.
 */
export interface UsageAggregate {
  readonly cluster: string
  /** The block of time, where the cluster is a session or tenant. */
  readonly block?: number
  readonly model: string
  readonly runs: number
  readonly errors: number
  /** Runs that carry a latency. */
  readonly latency_count: number
  readonly latency_sum_ms: number
  readonly latency_sum_ms2: number
  /** Tokens by kind, in the caller's order of kinds. */
  readonly token_sums: readonly number[]
  /** Σ over runs of tokens times tokens: of k kinds the k(k + 1)/2 pairs (0,0), (0,1) … (0,k−1), (1,1) … */
  readonly token_products: readonly number[]
  /** Runs that succeeded, by which cost is counted, and what failed ones used; all of `runs` unless given. */
  readonly succeeded?: number
  readonly failed_token_sums?: readonly number[]
  /** These are the tokens of a further model of runs that other aggregates count; `runs` is how many of them used it. */
  readonly is_further_model?: boolean
}

/** A metric of integers, say invocations of a tool, from aggregates that hold every run, also those with 0. */
export function sampleOf(aggregates: readonly IntegerAggregate[]): Sample {
  return sampled(aggregates, momentsOf, byCluster)
}

function momentsOf(aggregates: readonly IntegerAggregate[]): Moments {
  const [n, sum, squares] = [new ExactSum(), new ExactSum(), new ExactSum()]
  for (const aggregate of aggregates) {
    n.add(aggregate.n)
    sum.add(aggregate.sum)
    squares.add(aggregate.sum_of_squares)
  }
  return momentsOfSums(n.rounded, sum.exact, squares.exact)
}

/** A sample whose clusters and blocks are worked out where they are needed: of the two a comparison takes one. */
export function sampled<C extends { readonly cluster: string }>(
  aggregates: readonly C[],
  moments: (aggregates: readonly C[]) => Moments,
  clusters: (aggregates: readonly C[]) => ReadonlyMap<string, ClusterSum>,
): Sample {
  let found: ReadonlyMap<string, ClusterSum> | undefined
  return {
    moments: moments(aggregates),
    get clusters() {
      return (found ??= clusters(aggregates))
    },
    blocks: () => {
      const groups = Map.groupBy(aggregates, ({ cluster }) => Number(cluster))
      return new Map(Array.from(groups, ([block, own]) => [block, moments(own)]))
    },
  }
}

/** What each value of a side adds to Σ(x − x̄)², next to another side, so that it spreads as if others were among them. */
export type Spread = (own: Moments, other: Moments) => number

/** As if two more were at both ends of the scale of two sides: 1, or the root mean square of a side's values where that is more. */
export function byEnds(...sides: readonly Sample[]): Spread {
  const square = Math.max(1, ...sides.map(({ moments }) => meanSquare(moments)))
  return ({ n }) => (n === 0 ? 0 : square / 2 / n)
}

/**
 * At least as if two more were among the values of both sides, mostly on the smaller one, of nothing and of double the mean:
 * that n runs are all alike proves no more than that the share of others is 3/n at most (the rule of three).
 */
export const atLeastByTwo: Spread = (own, other) => {
  if (own.n === 0) return 0
  const least = 2 * meanSquare(own) * (other.n / (own.n + other.n))
  return Math.max(0, least - own.m2) / own.n
}

function meanSquare({ n, mean, m2 }: Moments): number {
  return n === 0 ? 0 : mean * mean + m2 / n
}

/** Values to whose Σ(x − x̄)² each adds so much; their mean and number stay. */
export function spreadBy(moments: Moments, each: number): Moments {
  return each === 0 ? moments : { ...moments, m2: moments.m2 + each * moments.n }
}

function byCluster(aggregates: readonly IntegerAggregate[]): Map<string, ClusterSum> {
  const clusters = new Map<string, { readonly n: ExactSum; readonly sum: ExactSum }>()
  for (const { cluster, n, sum } of aggregates) {
    const total = getOrAdd(clusters, cluster, () => ({ n: new ExactSum(), sum: new ExactSum() }))
    total.n.add(n)
    total.sum.add(sum)
  }
  return new Map(
    sortedByKey(clusters).map(([key, total]) => [key, { n: total.n.rounded, sum: total.sum.rounded }]),
  )
}

/** Latency in ms of the runs that carry one. */
export function latencySample(aggregates: readonly UsageAggregate[]): Sample {
  return sampleOf(
    aggregates.map(({ cluster, latency_count, latency_sum_ms, latency_sum_ms2 }) => ({
      cluster,
      n: latency_count,
      sum: latency_sum_ms,
      sum_of_squares: latency_sum_ms2,
    })),
  )
}

/** 1 for each run that failed, 0 for the others. */
export function errorSample(aggregates: readonly UsageAggregate[]): Sample {
  return sampleOf(
    ownAggregates(aggregates).map(({ cluster, runs, errors }) => ({
      cluster,
      n: runs,
      sum: errors,
      sum_of_squares: errors,
    })),
  )
}

/** Tokens of the kind with this index per run, of the run's own model. */
export function tokenSample(aggregates: readonly UsageAggregate[], kind: number): Sample {
  return sampleOf(
    ownAggregates(aggregates).map(({ cluster, runs, token_sums, token_products }) => ({
      cluster,
      n: runs,
      sum: token_sums[kind]!,
      sum_of_squares: token_products[pairIndex(kind, kind, token_sums.length)]!,
    })),
  )
}

function ownAggregates(aggregates: readonly UsageAggregate[]): readonly UsageAggregate[] {
  return aggregates.filter(aggregate => aggregate.is_further_model !== true)
}

/** Where the product of two kinds, i ≤ j, is among `token_products`. */
export function pairIndex(i: number, j: number, kinds: number): number {
  return i * kinds - (i * (i - 1)) / 2 + (j - i)
}

export function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** In an order that doesn't depend on the order of the rows: sums of doubles come out bit-equal on every database. */
export function sortedByKey<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}
