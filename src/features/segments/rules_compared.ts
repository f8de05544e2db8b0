import { round12 } from '../../base/numbers.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import {
  type CutSide,
  type MeasureQuestion,
  type MeasuredSide,
  comparedTime,
  samplesOf,
  knowFailed,
} from '../../rules/diff_statistics.ts'
import { CHANGE_LIMITS } from '../../rules/limits.ts'
import { segmentText } from '../../rules/cause_words.ts'
import type { MetricStatistics } from '../../rules/statistics/metric.ts'
import { keepingLast } from './last.ts'
import { movedKinds } from './rules_mix.ts'
import { MOST_SEGMENTS, type SegmentKind, type SegmentPlan, type SegmentSums } from './rules_segments.ts'

/** What of two sides was compared by tenant or task, and which of these only one side has. */
export function comparedSegments({
  cut,
  match,
  only_baseline,
  only_candidate,
}: SegmentPlan): NonNullable<DiffStatistics['compared']> {
  return {
    ...comparedTime({ cut, match }),
    left_out: { candidate: leftOut(only_candidate), baseline: leftOut(only_baseline) },
  }
}

function leftOut({ share, largest }: SegmentPlan['only_candidate']): { share: number; largest: number[] } {
  return { share: round12(share), largest: [...largest] }
}

/** The metrics of two sides of which nothing is known by tenant or task, so that nothing is claimed. */
export function notComparable(
  { comparedBy }: MeasureQuestion,
  by: SegmentKind,
  sides: Record<'baseline' | 'candidate', CutSide>,
): ReturnType<MeasureQuestion['comparedBy']> {
  return comparedBy({ by, blocks: 0, is_separable: false }, sides)
}

type JudgedSegment = Pick<
  MetricStatistics,
  'baseline_runs' | 'candidate_runs' | 'min_runs' | 'comparability_doubt' | 'matched'
>

/**
 * What is missing for a difference over the tenants or tasks that both sides served, and what would mend it; and whose
 * runs were left out.
 */
export function segmentWarnings(
  { baseline_runs, candidate_runs, min_runs, comparability_doubt, matched }: JudgedSegment,
  { match: { by, is_separable }, only_candidate, only_baseline }: SegmentPlan,
): string[] {
  if (matched == null || Math.min(baseline_runs, candidate_runs) < min_runs) return []
  if (comparability_doubt === 'not_comparable') {
    const text = !is_separable
      ? `most of the candidate's runs are of ${by}s beyond the ${MOST_SEGMENTS} that have sums of their own`
      : (segmentText(by, matched) ??
        `only ${Math.min(matched.baseline_runs, matched.candidate_runs)} runs of a side can be compared (it takes ${min_runs})`)
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
  { share }: SegmentPlan['only_candidate'],
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

/** What a comparison by segments that is not one says. */
export function insteadText(by: SegmentKind, why: Exclude<Unknown, 'not_summed'>): string {
  const mend = why === 'filtered' ? 'without a filter' : 'over a window of up to 35 days'
  return `runs are separated by ${by} only ${mend}, so the time in which both ran is compared`
}

/** What is missing where not all runs are summed by tenant and task, and what mends it. */
export function notSummedText(kinds: readonly SegmentKind[]): string {
  return (
    `not all runs of these hours are summed by ${kinds.join(' and ')}: new ones are within a minute; those that an older ` +
    'version stored are by `svc rollups rebuild`'
  )
}

export const NOT_JUDGED =
  'limits on segment regressions were not judged: that needs a window of up to 35 days, with all runs summed by tenant and task'

export interface SegmentSide extends Pick<MeasuredSide, 'rates'> {
  readonly segments: ReadonlyMap<SegmentKind, SegmentSums | undefined>
}

/** Part of a limit that a difference of the mix alone may use up before it is warned of. */
const LEAST_PART = 0.25

const NOUNS = { cost_per_run_usd: 'cost', latency_ms: 'latency', error_rate: 'error rate' } as const

/**
 * Where the sides serve tenants or do tasks in other proportions, by more than chance, and that alone moves a metric by more
 * than a quarter of its limit: the mix term of Kitagawa (1955), Σ (p_c − p_b)·(m_b + m_c)/2 over what both sides have.
 */
export function mixWarnings(baseline: SegmentSide, candidate: SegmentSide, policy: Policy): string[] {
  if (CHANGE_LIMITS.every(({ key }) => policy[key] == null)) return []
  const moved = movedKinds(baseline, candidate)
  return moved.flatMap(kind => {
    const knowsFailed = knowFailed([baseline.segments.get(kind)!, candidate.segments.get(kind)!])
    const [own, other] = [byGroup(baseline, kind, knowsFailed), byGroup(candidate, kind, knowsFailed)]
    const moves = CHANGE_LIMITS.flatMap(({ key, metric, unit }) => {
      const limit = policy[key]
      if (limit == null) return []
      const found = mixOf(own[metric], other[metric])
      if (found === undefined) return []
      const size = unit === 'rise' ? found.term / found.mean : found.term
      if (!Number.isFinite(size) || Math.abs(size) <= LEAST_PART * limit) return []
      const signed = `${size > 0 ? '+' : ''}${(100 * size).toFixed(1)}`
      return [`${NOUNS[metric]} by ${signed} ${unit === 'rise' ? '%' : 'points'}`]
    })
    if (moves.length === 0) return []
    return [
      `the releases have different shares of ${kind}s, which alone moves the ${moves.join(', ')}: ` +
        // Each tenant compared with itself may have other tasks, and each task other tenants.
        (moved.length > 1
          ? 'those of tenants and of tasks both differ, so run both releases for the same ones at once'
          : `compare_by: ${kind} in the policy compares each ${kind} with itself`),
    ]
  })
}

interface Group {
  readonly n: number
  readonly mean: number
}

type Metric = (typeof CHANGE_LIMITS)[number]['metric']

type Groups = Record<Metric, ReadonlyMap<number, Group>>

/** Runs and mean of each group, by metric. */
function byGroup({ segments, rates }: SegmentSide, kind: SegmentKind, knowsFailed: boolean): Groups {
  const sums = segments.get(kind)!
  return lastGroups([sums], JSON.stringify([knowsFailed, ...rates]), () => {
    const numbered = <T extends { readonly segment: number }>(own: readonly T[]) =>
      own.map(aggregate => ({ ...aggregate, block: aggregate.segment }))
    const side = { aggregates: numbered(sums.aggregates), parts: numbered(sums.parts), rates }
    const samples = samplesOf(side, knowsFailed)
    return {
      cost_per_run_usd: samples.cost_per_run_usd.blocks!(),
      latency_ms: samples.latency_ms.blocks!(),
      error_rate: samples.error_rate.blocks!(),
    }
  })
}

const lastGroups = keepingLast<Groups>()

/** The mix term, and the mean of the baseline over the groups that both sides have; undefined without such. */
function mixOf(
  baseline: ReadonlyMap<number, Group>,
  candidate: ReadonlyMap<number, Group>,
): { readonly term: number; readonly mean: number } | undefined {
  const shared = [...baseline].flatMap(([key, b]) => {
    const c = candidate.get(key)
    return c === undefined || b.n === 0 || c.n === 0 ? [] : [{ b, c }]
  })
  if (shared.length === 0) return undefined
  let [runsB, runsC] = [0, 0]
  for (const { b, c } of shared) {
    runsB += b.n
    runsC += c.n
  }
  let [term, mean] = [0, 0]
  for (const { b, c } of shared) {
    term += (c.n / runsC - b.n / runsB) * ((b.mean + c.mean) / 2)
    mean += (b.n / runsB) * b.mean
  }
  return { term, mean }
}
