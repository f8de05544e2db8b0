import { MINUTE_MS } from '../base/time.ts'
import type { Sums } from './rollup.ts'
import { LEAST_SHARED, type MetricStatistics, comparabilityDoubt } from './statistics/metric.ts'
import { type Clusters, type CountedClusters, LEAST_BLOCKS, clustersOf } from './statistics/variances.ts'
import { type Window, windowCovering } from './window.ts'

/** Blocks of time that a window is cut into. */
export const BLOCKS = 24

/** Sums of one block of time. */
type Cell = Pick<Sums, 'runs'> & { readonly block: number }

/**
 * The shorter window, ending where this one does, that begins with the first block of time in which both sides ran; null
 * where it would be no better to compare. Of it there would be 24 blocks again.
 */
export function sharedWindow(
  baseline: readonly Cell[],
  candidate: readonly Cell[],
  { since, until }: Window,
): string | null {
  const [b, c] = [runsByBlock(baseline), runsByBlock(candidate)]
  const first = b.findIndex((runs, block) => runs > 0 && c[block]! > 0)
  if (first < 1) return null
  const shorter = clustersOf(runsFrom(b, first), runsFrom(c, first))
  const more = BLOCKS / (BLOCKS - first)
  const doubt = comparabilityDoubt({
    ...shorter,
    baseline: shorter.baseline * more,
    candidate: shorter.candidate * more,
  })
  return doubt === null ? windowCovering(((until - since) * (BLOCKS - first)) / BLOCKS / MINUTE_MS) : null
}

function runsByBlock(cells: readonly Cell[]): number[] {
  const runs = Array.from({ length: BLOCKS }, () => 0)
  for (const cell of cells) runs[cell.block]! += cell.runs
  return runs
}

/** What a side ran from a block of time on, by block. */
function runsFrom(runs: readonly number[], first: number): CountedClusters {
  const later = runs.slice(first)
  return {
    moments: { n: later.reduce((sum, count) => sum + count, 0) },
    clusters: new Map(later.map((n, block) => [String(block), { n }])),
  }
}

/** All runs of two sides, by block of time. */
type Shared = Pick<MetricStatistics, 'baseline_runs' | 'candidate_runs' | 'min_runs' | 'clusters'>

/**
 * What is missing for a difference of two sides, and what would mend it; none where nothing is, or a side has too few runs
 * for any.
 * `shorter` is the {@link sharedWindow}. A rollback is judged all the same, which it says.
 */
export function comparabilityWarnings(
  { baseline_runs, candidate_runs, min_runs, clusters }: Shared,
  { shorter, over_window }: { readonly shorter: string | null; readonly over_window: boolean },
): string[] {
  if (Math.min(baseline_runs, candidate_runs) < min_runs) return []
  const doubt = comparabilityDoubt(clusters)
  if (doubt === null) return []
  const text = doubt === 'not_comparable' ? fewShared(clusters) : fewBlocks(clusters)
  if (over_window)
    return [`${text}: this is a rollback, so its limits are judged over the whole window all the same`]
  const mend =
    shorter !== null
      ? `choose a window of ${shorter}, in which both ran`
      : doubt === 'not_comparable'
        ? 'run both releases at once'
        : 'let it run for longer'
  return [`${text}, so a difference may be one of times: ${mend}`]
}

function fewShared({ shared_runs_share }: Clusters): string {
  const share = Math.floor(100 * shared_runs_share)
  return `only ${share} % of the runs are of times in which both sides ran (it takes ${100 * LEAST_SHARED} %)`
}

function fewBlocks({ baseline, candidate }: Clusters): string {
  const [side, blocks] = baseline < candidate ? ['baseline', baseline] : ['candidate', candidate]
  return (
    `the runs of the ${side} lie in ${blocks.toFixed(1)} of the ${BLOCKS} blocks of time of the window ` +
    `(it takes ${LEAST_BLOCKS})`
  )
}
