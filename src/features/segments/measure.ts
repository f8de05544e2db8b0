import type { Measure } from '../../ledger/assess/parts.ts'
import type { Side, SideQuery } from '../../ledger/assess/sides.ts'
import { isFiltered } from '../../ledger/events/rollups.ts'
import type { MeasuredBy, MeasureQuestion } from '../../rules/diff_statistics.ts'
import { changeLimits, limitsSegments } from '../../rules/limits.ts'
import { type Range, hoursWithin } from '../../rules/window.ts'
import { type Query, mapped, ofSides, together } from '../../sql/query.ts'
import { knownSums } from './known.ts'
import { segmentQuery, tenantsQuery } from './read.ts'
import {
  NOT_JUDGED,
  type Unknown,
  comparedSegments,
  insteadText,
  mixWarnings,
  notComparable,
  notSummedText,
  segmentWarnings,
} from './rules_compared.ts'
import { withheldText, segmentRegressions } from './rules_segment_regressions.ts'
import {
  type RunsByTenant,
  type SharedTenants,
  apartText,
  fewSharedText,
  sharedTenants,
} from './rules_shared.ts'
import {
  MOST_SEGMENTS_MS,
  SEGMENT_KINDS,
  type SegmentKind,
  type SegmentSums,
  gathered,
  runsBySegment,
  stratified,
} from './rules_segments.ts'

/** What was read of both sides by tenant and task, or why nothing was. */
type SegmentSumsRead =
  | {
      readonly hours: Range
      readonly baseline: SumsByKind
      readonly candidate: SumsByKind
      readonly shared: SharedTenants | undefined
    }
  | { readonly unknown: Exclude<Unknown, 'not_summed'> }
  | undefined

/** Comparisons by tenant and task, and for whom a release is worse. A rollback does not need them. */
export const measure: Measure<SegmentSumsRead> = {
  name: 'segments',
  isShown: true,
  // By time it has to be known whether each release served tenants of its own.
  isLimited: policy =>
    limitsSegments(policy) || byOf(policy) !== undefined || changeLimits(policy).length > 0,
  query: readQuery,
  apart: read =>
    read === undefined || 'unknown' in read ? undefined : read.shared && apartText(read.shared),
  measured: async (_ledger, _query, sides, read) => question => {
    if (read === undefined || question.isRollback) return { statistics: {} }
    if ('unknown' in read) return unread(question, read.unknown)
    return measured(question, read, {
      baseline: { ...sides.baseline, segments: read.baseline },
      candidate: { ...sides.candidate, segments: read.candidate },
    })
  },
}

function byOf({ compare_by }: { readonly compare_by?: string | undefined }): SegmentKind | undefined {
  return SEGMENT_KINDS.find(kind => kind === compare_by)
}

/** Diffs and limits on segment regressions take all kinds; by time it takes the number of runs of each tenant. */
function readQuery(
  query: SideQuery,
  { policy, isDiff, isRollback, memo }: Parameters<Measure['query']>[1],
): Query<SegmentSumsRead> {
  const { window, filters, environment } = query
  const nothing = (read: SegmentSumsRead): Query<SegmentSumsRead> => ({ statements: [], read: () => read })
  if (isRollback) return nothing(undefined)
  if (isFiltered(filters)) return nothing({ unknown: 'filtered' })
  if (window.until - window.since > MOST_SEGMENTS_MS) return nothing({ unknown: 'too_long' })
  const hours = query.hours ?? hoursWithin(window)
  const isAll = isDiff || limitsSegments(policy)
  const kinds = isAll ? SEGMENT_KINDS : SEGMENT_KINDS.filter(kind => kind === byOf(policy))
  const readOf = (side: 'baseline' | 'candidate') => ({
    releaseId: query[`${side}Id`],
    environment,
    hours,
    moments: query.cut?.moments,
  })
  const known = memo && knownSums(memo)
  const read = together({
    sums: ofSides(side => segmentQuery(kinds, readOf(side), known)),
    tenants: isAll
      ? undefined
      : tenantsQuery({ baseline: readOf('baseline'), candidate: readOf('candidate') }, known),
  })
  return mapped(read, ({ sums, tenants }) => {
    const runsOf = (side: 'baseline' | 'candidate'): RunsByTenant => {
      const own = sums[side].get('tenant')
      return tenants?.[side] ?? (own === undefined ? NO_RUNS : runsBySegment(own))
    }
    return { hours, ...gathered(sums), shared: sharedTenants(runsOf('baseline'), runsOf('candidate')) }
  })
}

const NO_RUNS: RunsByTenant = new Map()

/**
 * The warning where runs have no segments: the sides are compared by time. A diff that is filtered to one segment has
 * no limits on others.
 */
function unread(
  { policy, compare_by }: MeasureQuestion,
  why: Exclude<Unknown, 'not_summed'>,
): ReturnType<MeasuredBy> {
  const by = byOf({ compare_by })
  const isLimited = limitsSegments(policy) && why !== 'filtered'
  return {
    statistics: isLimited ? { segment_regressions: null } : {},
    warnings: [...(by === undefined ? [] : [insteadText(by, why)]), ...(isLimited ? [NOT_JUDGED] : [])],
  }
}

type SumsByKind = ReadonlyMap<SegmentKind, SegmentSums | undefined>

type ReadSide = Side & { readonly segments: SumsByKind }

function measured(
  question: MeasureQuestion,
  { hours, shared }: { readonly hours: Range; readonly shared: SharedTenants | undefined },
  sides: { readonly baseline: ReadSide; readonly candidate: ReadSide },
): ReturnType<MeasuredBy> {
  const { policy, compare_by, options } = question
  const { baseline, candidate } = sides
  const by = byOf({ compare_by })
  const lacking = SEGMENT_KINDS.filter(
    kind =>
      baseline.segments.has(kind) &&
      (baseline.segments.get(kind) === undefined || candidate.segments.get(kind) === undefined),
  )
  const isLimited = limitsSegments(policy)
  const compared = by === undefined ? undefined : comparedBy(question, by, hours, sides)
  const spots = segmentRegressions(baseline, candidate, options)
  return {
    statistics: {
      ...compared?.statistics,
      ...(spots === undefined
        ? isLimited
          ? { segment_regressions: null }
          : {}
        : { segment_regressions: spots }),
    },
    warnings: [
      ...(lacking.length > 0 ? [notSummedText(lacking)] : []),
      ...(isLimited && spots === undefined ? [NOT_JUDGED] : []),
      ...(isLimited ? withheldText(baseline, candidate) : []),
      ...(compared?.warnings ?? []),
      ...(by === undefined && shared !== undefined ? fewShared(compare_by, shared) : []),
      ...(compare_by === 'time' ? mixWarnings(baseline, candidate, policy) : []),
    ],
  }
}

/** What is said of few tenants that both served, where that does not keep the sides from being compared. */
function fewShared(compare_by: MeasureQuestion['compare_by'], shared: SharedTenants): string[] {
  const isApart = compare_by === 'time' && apartText(shared) !== undefined
  const text = isApart ? undefined : fewSharedText(shared)
  return text === undefined ? [] : [text]
}

/** Cost, latency, errors and tokens by tenant or task. */
function comparedBy(
  question: MeasureQuestion,
  by: SegmentKind,
  hours: Range,
  { baseline, candidate }: { readonly baseline: ReadSide; readonly candidate: ReadSide },
): ReturnType<MeasuredBy> {
  const [b, c] = [baseline.segments.get(by), candidate.segments.get(by)]
  if (b === undefined || c === undefined) {
    return { statistics: { compare_by: by, ...notComparable(question, by, { baseline, candidate }) } }
  }
  const { plan, ...cut } = stratified(by, hours, {
    baseline: { ...baseline, segments: b },
    candidate: { ...candidate, segments: c },
  })
  const metrics = question.comparedBy(plan.match, cut)
  return {
    statistics: { compare_by: by, compared: comparedSegments(plan), ...metrics },
    warnings: segmentWarnings(metrics.error_rate, plan),
  }
}
