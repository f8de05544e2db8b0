import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { samplesOf, knowFailed } from '../../rules/diff_statistics.ts'
import { SEGMENT_LIMITS, provenRise, riseOf } from '../../rules/limits.ts'
import { keepingLast } from './last.ts'
import { groupSums, wholeChange } from './rules_group_sums.ts'
import { movedKinds } from './rules_mix.ts'
import { screen } from './rules_screen.ts'
import {
  PARTS,
  REST,
  SEGMENT_KINDS,
  type SegmentKind,
  type SegmentSums,
  bySegment,
} from './rules_segments.ts'
import { compareMeans, compareRates } from '../../rules/statistics/compare.ts'
import { ALPHA } from '../../rules/statistics/intervals.ts'
import { type CompareOptions, type MetricStatistics, settingsOf } from '../../rules/statistics/metric.ts'
import type { SegmentSide } from './rules_compared.ts'

type SegmentRegressions = NonNullable<DiffStatistics['segment_regressions']>
type SegmentRegression = SegmentRegressions['found'][number]

/** Most segment regressions that are listed. */
const MOST_LISTED = 20

/** Sums of a kind on both sides. */
interface OfKind {
  readonly kind: SegmentKind
  readonly baseline: SegmentSums
  readonly candidate: SegmentSums
}

/**
 * Each tenant and task that both sides served in the same parts of the time, and those for which the release became worse
 * by more than for all together. All intervals together miss the truth in 5 of 100 comparisons (Bonferroni). Nothing is
 * claimed of one whose parts of the time are not comparable, nor of a kind where the mix of the other kind moved: what
 * differs for a tenant may be its tasks. Undefined without sums by tenant and task.
 */
export function segmentRegressions(
  baseline: SegmentSide,
  candidate: SegmentSide,
  options: Options,
): SegmentRegressions | undefined {
  const kinds = kindsOf(baseline, candidate)
  if (kinds.length < SEGMENT_KINDS.length) return undefined
  const { min_runs = 0, sequential = false } = options
  const question = JSON.stringify([min_runs, sequential, [...baseline.rates], [...candidate.rates]])
  const sums = kinds.flatMap(own => [own.baseline, own.candidate])
  return lastFound(sums, question, () => search(baseline, candidate, kinds, { min_runs, sequential }))
}

type Options = Pick<CompareOptions, 'min_runs' | 'sequential'>

const lastFound = keepingLast<SegmentRegressions>()

function search(
  baseline: SegmentSide,
  candidate: SegmentSide,
  kinds: readonly OfKind[],
  { min_runs, sequential }: Required<Options>,
): SegmentRegressions {
  const moved = movedKinds(baseline, candidate)
  // Those of which nothing can be claimed would only widen the intervals of the others.
  const least = settingsOf({ min_runs }, 0).min_runs
  const screened = kinds.flatMap(own => {
    const segments = moved.some(kind => kind !== own.kind) ? [] : segmentsOf(own, least)
    return segments.length === 0 ? [] : [{ ...own, segments }]
  })
  const groups = screened.reduce((count, own) => count + own.segments.length, 0)
  const alpha = ALPHA / Math.max(1, groups * SEGMENT_LIMITS.length)
  const options = { alpha, min_runs, sequential, match: { by: 'common_time', blocks: PARTS } } as const
  const worse = screened.flatMap(own => {
    const knowsFailed = knowFailed([own.baseline, own.candidate])
    const sums = [
      groupSums({ ...own.baseline, rates: baseline.rates }, knowsFailed),
      groupSums({ ...own.candidate, rates: candidate.rates }, knowsFailed),
    ] as const
    const mayBeWorse = screen(...sums, options)
    const suspects = new Map(
      own.segments.flatMap(segment => {
        const metrics = SEGMENT_LIMITS.filter(({ metric }) => mayBeWorse(segment, metric))
        return metrics.length === 0 ? [] : [[segment, metrics] as const]
      }),
    )
    return groupsOf(own, suspects).flatMap(({ segment, ...group }) => {
      const [b, c] = [
        samplesOf({ ...group.baseline, rates: baseline.rates }, knowsFailed),
        samplesOf({ ...group.candidate, rates: candidate.rates }, knowsFailed),
      ]
      return suspects.get(segment)!.flatMap(({ metric, unit }) => {
        const compare = metric === 'error_rate' ? compareRates : compareMeans
        const change = compare(b[metric], c[metric], options)
        if (change.verdict !== 'worse') return []
        const spot = spotOf(change, { kind: own.kind, segment, metric })
        return [
          {
            spot,
            isBeyond: (provenRise(spot) ?? -Infinity) > wholeChange(...sums, metric)[riseOf({ unit })],
          },
        ]
      })
    })
  })
  const beyond = worse.flatMap(({ spot, isBeyond }) => (isBeyond ? [spot] : []))
  const others = worse.flatMap(({ spot, isBeyond }) => (isBeyond ? [] : [spot]))
  const largest = largestOf(others).filter(({ metric }) => beyond.every(spot => spot.metric !== metric))
  return {
    groups,
    found_in_all: beyond.length,
    found: listedOf(beyond),
    ...(largest.length === 0 ? {} : { with_the_whole: largest }),
  }
}

function kindsOf(baseline: SegmentSide, candidate: SegmentSide): OfKind[] {
  return SEGMENT_KINDS.flatMap(kind => {
    const [b, c] = [baseline.segments.get(kind), candidate.segments.get(kind)]
    return b === undefined || c === undefined ? [] : [{ kind, baseline: b, candidate: c }]
  })
}

const OTHER = { tenant: 'task', task: 'tenant' } as const

/** Says which kinds no limit on segment regressions was judged for, since the mix of the other kind moved. */
export function withheldText(baseline: SegmentSide, candidate: SegmentSide): string[] {
  return movedKinds(baseline, candidate).map(
    moved =>
      `limits on segment regressions were not judged for any ${OTHER[moved]}: the releases have different shares of ${moved}s, so what ` +
      `differs for a ${OTHER[moved]} may be one of ${moved}s`,
  )
}

/** Of each metric the one with the largest proven rise. */
function largestOf(spots: readonly SegmentRegression[]): SegmentRegression[] {
  const lowOf = (spot: SegmentRegression): number => provenRise(spot) ?? -Infinity
  return SEGMENT_LIMITS.flatMap(({ metric }) => {
    const own = spots.filter(spot => spot.metric === metric)
    return own.length === 0 ? [] : [own.reduce((a, b) => (lowOf(b) > lowOf(a) ? b : a))]
  })
}

/** Those with most runs, and of each metric the one with the largest proven rise: limits are decided by the list. */
function listedOf(found: readonly SegmentRegression[]): SegmentRegression[] {
  const bySize = found.toSorted((x, y) => y.candidate_runs - x.candidate_runs || x.segment - y.segment)
  const listed = new Set([...largestOf(bySize), ...bySize].slice(0, MOST_LISTED))
  return bySize.filter(spot => listed.has(spot))
}

function spotOf(
  { baseline_runs, candidate_runs, matched, difference, relative_change, ...change }: MetricStatistics,
  what: Pick<SegmentRegression, 'kind' | 'segment' | 'metric'>,
): SegmentRegression {
  return {
    ...what,
    baseline_runs,
    candidate_runs,
    baseline_mean: (matched?.baseline_mean ?? change.baseline_mean)!,
    candidate_mean: (matched?.candidate_mean ?? change.candidate_mean)!,
    difference: difference!,
    relative_change,
  }
}

interface Group {
  readonly segment: number
  readonly baseline: SegmentSums
  readonly candidate: SegmentSums
}

/** Tenants or tasks with enough runs on both sides. */
function segmentsOf({ baseline, candidate }: OfKind, least: number): number[] {
  const [b, c] = [bySegment(baseline), bySegment(candidate)]
  // The only one is the whole.
  if (new Set([...b.keys(), ...c.keys()]).size < 2) return []
  return [...c].flatMap(([segment, runs]) =>
    segment !== REST && runs >= least && (b.get(segment) ?? 0) >= least ? [segment] : [],
  )
}

function groupsOf({ baseline, candidate }: OfKind, wanted: ReadonlyMap<number, unknown>): Group[] {
  if (wanted.size === 0) return []
  const [ofBaseline, ofCandidate] = [grouped(baseline, wanted), grouped(candidate, wanted)]
  return Array.from(wanted.keys(), segment => ({
    segment,
    baseline: ofBaseline(segment),
    candidate: ofCandidate(segment),
  }))
}

function grouped(
  { aggregates, parts }: SegmentSums,
  wanted: ReadonlyMap<number, unknown>,
): (segment: number) => SegmentSums {
  const isWanted = ({ segment }: { readonly segment: number }): boolean => wanted.has(segment)
  const [own, further] = [
    Map.groupBy(aggregates.filter(isWanted), ({ segment }) => segment),
    Map.groupBy(parts.filter(isWanted), ({ segment }) => segment),
  ]
  return segment => ({ aggregates: own.get(segment) ?? [], parts: further.get(segment) ?? [] })
}
