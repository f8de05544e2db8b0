import { round12 } from '../../base/numbers.ts'
import { type Moments, type Sample, varianceOf } from './samples.ts'

/** How far the means of two sides may be off: their variances and covariance, in the metric's unit squared. */
export interface MeanVariances {
  readonly baseline: number
  readonly candidate: number
  readonly covariance: number
  /** Degrees of freedom of the difference of the means. */
  readonly df: number
  /** Degrees of freedom of their ratio. */
  readonly df_ratio: number
}

/** What the clusters of two samples are like. */
export interface Clusters {
  /** As many clusters of equal size would weigh the same: n² / Σ n_g². */
  readonly baseline: number
  readonly candidate: number
  /** Share of all runs that belong to clusters with runs on both sides. */
  readonly shared_runs_share: number
}

export interface ClusteredVariances extends MeanVariances {
  readonly clusters: Clusters
}

/**
 * Runs that don't depend on each other (Welch 1947); undefined where a side has fewer than two. The ratio's degrees of
 * freedom are Welch's with the baseline scaled to the candidate's level.
 */
export function independentVariances(baseline: Moments, candidate: Moments): MeanVariances | undefined {
  if (baseline.n < 2 || candidate.n < 2) return undefined
  const parts = {
    baseline: varianceOf(baseline) / baseline.n,
    candidate: varianceOf(candidate) / candidate.n,
  }
  const ratio = baseline.mean === 0 ? 1 : candidate.mean / baseline.mean
  const df = (scaled: number): number => {
    const { candidate: v } = parts
    const total = scaled + v
    if (total === 0) return baseline.n + candidate.n - 2
    // Shares, because squares of small variances would be 0.
    return 1 / ((scaled / total) ** 2 / (baseline.n - 1) + (v / total) ** 2 / (candidate.n - 1))
  }
  return { ...parts, covariance: 0, df: df(parts.baseline), df_ratio: df(parts.baseline * ratio * ratio) }
}

/**
 * Runs that depend on each other within clusters: the delete-one jackknife (Cameron & Miller 2015). Degrees of freedom
 * count clusters, as unequal as they are. Undefined where a side has less than two clusters' worth of runs.
 */
export function clusteredVariances(baseline: Sample, candidate: Sample): ClusteredVariances | undefined {
  const clusters = clustersOf(baseline, candidate)
  const fewest = fewestOf(clusters)
  if (fewest < LEAST_UNITS) return undefined
  const [ofBaseline, ofCandidate] = [influences(baseline), influences(candidate)]
  let covariance = 0
  for (const [key, influence] of ofCandidate) covariance += influence * (ofBaseline.get(key) ?? 0)
  const df = clusters.shared_runs_share > 0 ? fewest - 1 : clusters.baseline + clusters.candidate - 2
  return {
    baseline: sumOfSquares(ofBaseline),
    candidate: sumOfSquares(ofCandidate),
    covariance,
    df,
    df_ratio: df,
    clusters,
  }
}

/** Sessions or tenants without which there is no variance. */
const LEAST_UNITS = 2
/** Fewest blocks of time that say how much blocks differ. */
export const LEAST_BLOCKS = 4

/** How much the mean of a sample changes with each of its clusters, of which none holds all of the runs. */
export function influences({ moments: { n, mean }, clusters }: Sample): Map<string, number> {
  const influence = new Map<string, number>()
  for (const [key, own] of clusters) {
    influence.set(key, (own.sum - mean * own.n) / (n - own.n))
  }
  return influence
}

export function sumOfSquares(influence: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const value of influence.values()) sum += value * value
  return sum
}

/** How many runs a side has, in all and by cluster. */
export interface CountedClusters {
  readonly moments: { readonly n: number }
  readonly clusters: ReadonlyMap<string, { readonly n: number }>
}

/** Effective numbers of clusters are 0 for an empty side. */
export function clustersOf(baseline: CountedClusters, candidate: CountedClusters): Clusters {
  let shared = 0
  for (const [key, own] of baseline.clusters) {
    const other = candidate.clusters.get(key)?.n ?? 0
    if (own.n > 0 && other > 0) shared += own.n + other
  }
  const runs = baseline.moments.n + candidate.moments.n
  return {
    baseline: round12(effectiveNumber(baseline)),
    candidate: round12(effectiveNumber(candidate)),
    shared_runs_share: runs === 0 ? 0 : round12(shared / runs),
  }
}

/** As many clusters of equal size would weigh the same; 0 without any. */
export function effectiveNumber({ clusters }: Pick<CountedClusters, 'clusters'>): number {
  let [n, squares] = [0, 0]
  for (const own of clusters.values()) {
    n += own.n
    squares += own.n * own.n
  }
  return n === 0 ? 0 : (n * n) / squares
}

/** Variance of the difference of the means. */
export function differenceVariance({
  baseline,
  candidate,
  covariance,
}: Pick<MeanVariances, 'baseline' | 'candidate' | 'covariance'>): number {
  return Math.max(0, baseline + candidate - 2 * covariance)
}

/**
 * What clusters are: blocks of time, which may be too few because traffic came in a burst: runs count as independent then,
 * and a difference is not claimed; or units that depend on each other for sure, sessions or tenants, without enough of which nothing is known.
 */
export type ClusterKind = 'blocks' | 'units'

/** Variances that count, and by how much they exceed those of independent runs. */
export interface CountingVariances {
  readonly variances: MeanVariances
  /**
   * So many times the runs are needed that independent ones would take, at least 1. Null where blocks are too few to
   * tell, and 1 is assumed.
   */
  readonly design_effect: number | null
}

/**
 * Of independent and clustered variances those with the larger variance of the difference count. Undefined where a side
 * has fewer than two runs, or fewer than two units.
 */
export function countingVariances(
  baseline: Sample,
  candidate: Sample,
  kind: ClusterKind = 'blocks',
): CountingVariances | undefined {
  const independent = independentVariances(baseline.moments, candidate.moments)
  if (independent === undefined) return undefined
  const clustered = clusteredVariances(baseline, candidate)
  if (clustered === undefined && kind === 'units') return undefined
  if (clustered === undefined || (kind === 'blocks' && fewestOf(clustered.clusters) < LEAST_BLOCKS)) {
    return { variances: independent, design_effect: null }
  }
  const [least, measured] = [differenceVariance(independent), differenceVariance(clustered)]
  // Without any spread what is left of clusters is rounding.
  return least === 0 || measured <= least
    ? { variances: independent, design_effect: 1 }
    : { variances: clustered, design_effect: measured / least }
}

/**
 * Design effect of one side alone: of a baseline that is kept, or of the traffic so far; null where there are too few
 * clusters to tell.
 */
export function designEffectOf(sample: Sample, kind: ClusterKind = 'blocks'): number | null {
  const { n } = sample.moments
  if (effectiveNumber(sample) < (kind === 'blocks' ? LEAST_BLOCKS : LEAST_UNITS)) return null
  const independent = varianceOf(sample.moments) / n
  return independent === 0 ? 1 : Math.max(1, sumOfSquares(influences(sample)) / independent)
}

function fewestOf({ baseline, candidate }: Clusters): number {
  return Math.min(baseline, candidate)
}
