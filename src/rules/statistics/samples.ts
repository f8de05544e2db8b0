import { ExactSum, type Moments, momentsOfSums } from './moments.ts'

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

/** n integers of one cluster: their sum and sum of squares. */
export interface IntegerCell extends ClusterSum {
  readonly cluster: string
  readonly sum_of_squares: number
}

/**
 * What roll-ups or raw rows hold of the runs of one cluster that used one model. Runs of one cluster (a block of time, a
 * session, a tenant) may depend on each other; a name that both sides have is the same cluster. Any number of cells may
 * share a cluster and a model. All numbers are integers.
 */
export interface UsageCell {
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
  /** These are the tokens of a further model of runs that other cells count; `runs` is how many of them used it. */
  readonly is_further_model?: boolean
}

/** A metric of integers, say invocations of a tool, from cells that hold every run, also those with 0. */
export function sampleOf(cells: readonly IntegerCell[]): Sample {
  return sampled(cells, momentsOf, byCluster)
}

function momentsOf(cells: readonly IntegerCell[]): Moments {
  const [n, sum, squares] = [new ExactSum(), new ExactSum(), new ExactSum()]
  for (const cell of cells) {
    n.add(cell.n)
    sum.add(cell.sum)
    squares.add(cell.sum_of_squares)
  }
  return momentsOfSums(n.rounded, sum.exact, squares.exact)
}

/** A sample whose clusters and blocks are worked out where they are asked for: of the two a comparison takes one. */
export function sampled<C extends { readonly cluster: string }>(
  cells: readonly C[],
  moments: (cells: readonly C[]) => Moments,
  clusters: (cells: readonly C[]) => ReadonlyMap<string, ClusterSum>,
): Sample {
  let found: ReadonlyMap<string, ClusterSum> | undefined
  return {
    moments: moments(cells),
    get clusters() {
      return (found ??= clusters(cells))
    },
    blocks: () => {
      const groups = Map.groupBy(cells, ({ cluster }) => Number(cluster))
      return new Map(Array.from(groups, ([block, own]) => [block, moments(own)]))
    },
  }
}

function byCluster(cells: readonly IntegerCell[]): Map<string, ClusterSum> {
  const clusters = new Map<string, { readonly n: ExactSum; readonly sum: ExactSum }>()
  for (const { cluster, n, sum } of cells) {
    const total = getOrAdd(clusters, cluster, () => ({ n: new ExactSum(), sum: new ExactSum() }))
    total.n.add(n)
    total.sum.add(sum)
  }
  return new Map(
    sortedByKey(clusters).map(([key, total]) => [key, { n: total.n.rounded, sum: total.sum.rounded }]),
  )
}

/** Latency in ms of the runs that carry one. */
export function latencySample(cells: readonly UsageCell[]): Sample {
  return sampleOf(
    cells.map(({ cluster, latency_count, latency_sum_ms, latency_sum_ms2 }) => ({
      cluster,
      n: latency_count,
      sum: latency_sum_ms,
      sum_of_squares: latency_sum_ms2,
    })),
  )
}

/** 1 for each run that failed, 0 for the others. */
export function errorSample(cells: readonly UsageCell[]): Sample {
  return sampleOf(
    ownCells(cells).map(({ cluster, runs, errors }) => ({
      cluster,
      n: runs,
      sum: errors,
      sum_of_squares: errors,
    })),
  )
}

/** Tokens of the kind with this index per run, of the run's own model. */
export function tokenSample(cells: readonly UsageCell[], kind: number): Sample {
  return sampleOf(
    ownCells(cells).map(({ cluster, runs, token_sums, token_products }) => ({
      cluster,
      n: runs,
      sum: token_sums[kind]!,
      sum_of_squares: token_products[pairIndex(kind, kind, token_sums.length)]!,
    })),
  )
}

function ownCells(cells: readonly UsageCell[]): readonly UsageCell[] {
  return cells.filter(cell => cell.is_further_model !== true)
}

/** Where the product of two kinds, i ≤ j, stands among `token_products`. */
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
