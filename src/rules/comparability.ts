import { hoursText } from '../base/shown.ts'
import { HOUR_MS, MINUTE_MS } from '../base/time.ts'
import type { TimePlan } from './common_time.ts'
import type { Sums } from './rollup.ts'
import { LEAST_CANDIDATE_SHARE, LEAST_EFFECTIVE_UNITS } from './statistics/match.ts'
import { LEAST_SHARED, type MetricStatistics, comparabilityDoubt } from './statistics/metric.ts'
import { LEAST_DAYS } from './statistics/same_hours.ts'
import { type Clusters, LEAST_BLOCKS } from './statistics/variances.ts'
import { type Window, windowCovering, BLOCKS } from './window.ts'

/** Sums of one block of time. */
type Cell = Pick<Sums, 'runs'> & { readonly block: number }

type Judged = Pick<
  MetricStatistics,
  'baseline_runs' | 'candidate_runs' | 'min_runs' | 'clusters' | 'comparability_doubt' | 'matched'
>

/**
 * The shorter window, ending where this one does, that begins when both sides ran, where more of the candidate's runs
 * would be comparable in it; else null.
 */
export function sharedWindow(
  candidate: readonly Cell[],
  { matched }: Pick<Judged, 'matched'>,
  plan: TimePlan | undefined,
  { until }: Window,
): string | null {
  if (plan?.match.by !== 'common_time' || matched == null) return null
  if (matched.units < LEAST_EFFECTIVE_UNITS || matched.candidate_share >= LEAST_CANDIDATE_SHARE) return null
  const runsFrom = candidate.reduce((sum, { block, runs }) => sum + (block < 0 ? 0 : runs), 0)
  return matched.candidate_runs >= LEAST_CANDIDATE_SHARE * runsFrom
    ? windowCovering((until - plan.cut.from) / MINUTE_MS)
    : null
}

/**
 * What is missing for a difference over what both sides share of time, and what would mend it; or with what the candidate
 * is compared where they never ran at once. None where a side has too few runs for any difference.
 */
export function timeWarnings(
  { baseline_runs, candidate_runs, min_runs, comparability_doubt, matched }: Judged,
  { plan, shorter }: { readonly plan: TimePlan; readonly shorter: string | null },
): string[] {
  if (matched == null || Math.min(baseline_runs, candidate_runs) < min_runs) return []
  if (comparability_doubt !== 'not_comparable') {
    return matched.by === 'same_hours'
      ? [
          `both releases did not run at once: the candidate is compared with the same hours of ${matched.units} ` +
            'earlier days of the baseline',
        ]
      : []
  }
  const share = Math.floor(100 * matched.candidate_share)
  const text =
    matched.candidate_share < LEAST_CANDIDATE_SHARE
      ? `only ${share} % of the candidate's runs are of times in which the baseline ran too (it takes ` +
        `${100 * LEAST_CANDIDATE_SHARE} %)`
      : matched.units < LEAST_EFFECTIVE_UNITS
        ? `both releases ran at once for too short a time: ${matched.units.toFixed(1)} of ${LEAST_EFFECTIVE_UNITS} ` +
          'units of time'
        : `only ${Math.min(matched.baseline_runs, matched.candidate_runs)} runs of a side are of times in which ` +
          `both ran (it takes ${min_runs})`
  return [`${text}, so a difference may be one of times: ${mendOf(matched, plan, shorter)}`]
}

function mendOf(
  { units, candidate_share }: NonNullable<Judged['matched']>,
  { cut }: TimePlan,
  shorter: string | null,
): string {
  if (shorter !== null) return `choose a window of ${shorter}, in which both ran`
  if (candidate_share >= LEAST_CANDIDATE_SHARE && units > 0) {
    const hours = ((cut.to - cut.from) / HOUR_MS) * (LEAST_EFFECTIVE_UNITS / units - 1)
    return hours > 0 ? `run both for ${hoursText(hours)} more` : 'run both for longer'
  }
  return (
    `run both releases at once, keep ${LEAST_DAYS} days of the baseline before the candidate in the window, or set ` +
    'compare_by: window in the policy where the runs were made on purpose'
  )
}

/**
 * What is missing where the window is compared as it is: a rollback, or the policy says so. It is judged all the same,
 * which it says.
 */
export function overWindowWarnings(
  { baseline_runs, candidate_runs, min_runs, clusters }: Judged,
  isRollback: boolean,
): string[] {
  if (Math.min(baseline_runs, candidate_runs) < min_runs) return []
  const doubt = comparabilityDoubt(clusters)
  if (doubt === null) return []
  const text = doubt === 'not_comparable' ? fewShared(clusters) : fewBlocks(clusters)
  const why = isRollback ? 'this is a rollback' : 'compare_by is window'
  return [`${text}: ${why}, so its limits are judged over the whole window all the same`]
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
