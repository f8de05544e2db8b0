import { round12 } from '../../base/numbers.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type CutSide, type MeasureQuestion, comparedTime } from '../../rules/diff_statistics.ts'
import { LEAST_CANDIDATE_SHARE, LEAST_EFFECTIVE_UNITS } from '../../rules/statistics/match.ts'
import type { MetricStatistics } from '../../rules/statistics/metric.ts'
import { MOST_STRATA, type StrataKind, type StrataPlan } from './rules_strata.ts'

/** What of two sides was compared by tenant or task, and which of these only one side has. */
export function comparedStrata({
  cut,
  match,
  only_baseline,
  only_candidate,
}: StrataPlan): NonNullable<DiffStatistics['compared']> {
  return {
    ...comparedTime({ cut, match }),
    left_out: { candidate: leftOut(only_candidate), baseline: leftOut(only_baseline) },
  }
}

function leftOut({ share, largest }: StrataPlan['only_candidate']): { share: number; largest: number[] } {
  return { share: round12(share), largest: [...largest] }
}

/** The metrics of two sides of which nothing is known by tenant or task, so that nothing is claimed. */
export function notComparable(
  { comparedBy }: MeasureQuestion,
  by: StrataKind,
  sides: Record<'baseline' | 'candidate', CutSide>,
): ReturnType<MeasureQuestion['comparedBy']> {
  return comparedBy({ by, blocks: 0, is_told_apart: false }, sides)
}

type Judged = Pick<
  MetricStatistics,
  'baseline_runs' | 'candidate_runs' | 'min_runs' | 'comparability_doubt' | 'matched'
>

/**
 * What is missing for a difference over the tenants or tasks that both sides served, and what would mend it; and whose
 * runs were left out.
 */
export function strataWarnings(
  { baseline_runs, candidate_runs, min_runs, comparability_doubt, matched }: Judged,
  { match: { by, is_told_apart }, only_candidate, only_baseline }: StrataPlan,
): string[] {
  if (matched == null || Math.min(baseline_runs, candidate_runs) < min_runs) return []
  if (comparability_doubt === 'not_comparable') {
    const text = !is_told_apart
      ? `most of the candidate's runs are of ${by}s beyond the ${MOST_STRATA} that are told apart`
      : matched.candidate_share < LEAST_CANDIDATE_SHARE
        ? `only ${percent(matched.candidate_share)} % of the candidate's runs are of ${by}s that the baseline served ` +
          `in the same hours (it takes ${100 * LEAST_CANDIDATE_SHARE} %)`
        : matched.units < LEAST_EFFECTIVE_UNITS
          ? `the runs are of too few ${by}s in too few hours: ${matched.units.toFixed(1)} of ${LEAST_EFFECTIVE_UNITS} units`
          : `only ${Math.min(matched.baseline_runs, matched.candidate_runs)} runs of a side can be compared (it takes ${min_runs})`
    return [
      `${text}, so a difference may be one of ${by}s: run both releases for the same ${by}s at once, start a rollout, ` +
        'or set compare_by: time in the policy',
    ]
  }
  return [...leftOutText(only_candidate, 'candidate', by), ...leftOutText(only_baseline, 'baseline', by)]
}

/** Share of a side's runs of tenants or tasks that the other lacks, from which on it is said. */
const MUCH_LEFT_OUT = 0.1

function leftOutText(
  { share }: StrataPlan['only_candidate'],
  side: 'baseline' | 'candidate',
  by: string,
): string[] {
  if (share <= MUCH_LEFT_OUT) return []
  const what = side === 'candidate' ? ', so limits on a change were not judged for them' : ''
  return [`${percent(share)} % of the ${side}'s runs are of ${by}s that only it served${what}`]
}

function percent(share: number): number {
  return Math.floor(100 * share)
}

/** Why runs are not grouped by tenant and task. */
export type Unknown = 'filtered' | 'too_long' | 'not_summed'

/** What a comparison by strata that is not one says. */
export function insteadText(by: StrataKind, why: Exclude<Unknown, 'not_summed'>): string {
  const mend = why === 'filtered' ? 'without a filter' : 'over a window of up to 35 days'
  return `runs are told apart by ${by} only ${mend}, so the time in which both ran is compared`
}

/** What is missing where not all runs are summed by tenant and task, and what mends it. */
export function notSummedText(kinds: readonly StrataKind[]): string {
  return (
    `not all runs of these hours are summed by ${kinds.join(' and ')}: new ones are within a minute; those that an older ` +
    'version stored are by `svc rollups rebuild`'
  )
}

export const NOT_JUDGED =
  'limits on hot spots were not judged: runs are told apart by tenant and task without a filter, over up to 35 days, and ' +
  'where all of them are summed'
