import { HOUR_MS } from '../../base/time.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import type { Side, SideQuery } from '../../ledger/assess/sides.ts'
import { isFiltered } from '../../ledger/events/rollups.ts'
import type { MeasuredBy, MeasureQuestion } from '../../rules/diff_statistics.ts'
import { changeLimits, limitsHotSpots } from '../../rules/limits.ts'
import type { Range } from '../../rules/window.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, mapped, ofSides, together } from '../../sql/query.ts'
import { remembered } from '../../ledger/world/memo.ts'
import type { KnownSums } from './known.ts'
import { type SumsByKind, strataQuery, tenantsQuery } from './read.ts'
import {
  NOT_JUDGED,
  type Unknown,
  comparedStrata,
  insteadText,
  mixWarnings,
  notComparable,
  notSummedText,
  strataWarnings,
} from './rules_compared.ts'
import { withheldText, hotSpots } from './rules_hot_spots.ts'
import {
  type RunsByTenant,
  type SharedTenants,
  apartText,
  fewSharedText,
  sharedTenants,
} from './rules_shared.ts'
import {
  MOST_STRATA_MS,
  STRATA_KINDS,
  type StrataKind,
  byStratum,
  gathered,
  stratified,
} from './rules_strata.ts'

/** What was read of both sides by tenant and task, or why nothing was. */
type Read =
  | {
      readonly hours: Range
      readonly baseline: SumsByKind
      readonly candidate: SumsByKind
      readonly shared: SharedTenants | undefined
    }
  | { readonly unknown: Exclude<Unknown, 'not_summed'> }
  | undefined

/** Comparisons by tenant and task, and for whom a release is worse. A rollback does not need them. */
export const measure: Measure<Read> = {
  name: 'strata',
  isShown: true,
  // By time it has to be known whether each release served tenants of its own.
  isLimited: policy =>
    limitsHotSpots(policy) || byOf(policy) !== undefined || changeLimits(policy).length > 0,
  query: readQuery,
  apart: read =>
    read === undefined || 'unknown' in read ? undefined : read.shared && apartText(read.shared),
  measured: async (_ledger, _query, sides, read) => question => {
    if (read === undefined || question.isRollback) return { statistics: {} }
    if ('unknown' in read) return unread(question, read.unknown)
    return measured(question, read, {
      baseline: { ...sides.baseline, strata: read.baseline },
      candidate: { ...sides.candidate, strata: read.candidate },
    })
  },
}

function byOf({ compare_by }: { readonly compare_by?: string | undefined }): StrataKind | undefined {
  return STRATA_KINDS.find(kind => kind === compare_by)
}

/** Diffs and limits on hot spots take all kinds; by time it takes the number of runs of each tenant. */
function readQuery(
  dialect: Sql['dialect'],
  query: SideQuery,
  { policy, isDiff, isRollback, memo }: Parameters<Measure['query']>[2],
): Query<Read> {
  const { window, filters, environment } = query
  const nothing = (read: Read): Query<Read> => ({ statements: [], read: () => read })
  if (isRollback) return nothing(undefined)
  if (isFiltered(filters)) return nothing({ unknown: 'filtered' })
  if (window.until - window.since > MOST_STRATA_MS) return nothing({ unknown: 'too_long' })
  const hours = query.hours ?? {
    from: Math.ceil(Math.max(0, window.since) / HOUR_MS),
    to: Math.floor(window.until / HOUR_MS),
  }
  const isAll = isDiff || limitsHotSpots(policy)
  const kinds = isAll ? STRATA_KINDS : STRATA_KINDS.filter(kind => kind === byOf(policy))
  const readOf = (side: 'baseline' | 'candidate') => ({
    releaseId: query[`${side}Id`],
    environment,
    hours,
    moments: query.cut?.moments,
  })
  const known = memo && remembered(memo, 'sums by tenant and task', (): KnownSums => new Map())
  const read = together({
    sums: ofSides(side => strataQuery(dialect, kinds, readOf(side), known)),
    tenants: isAll ? undefined : ofSides(side => tenantsQuery(dialect, readOf(side), known)),
  })
  return mapped(read, ({ sums, tenants }) => {
    const runsOf = (side: 'baseline' | 'candidate'): RunsByTenant => {
      const own = sums[side].get('tenant')
      return tenants?.[side] ?? (own === undefined ? NO_RUNS : byStratum(own))
    }
    return { hours, ...gathered(sums), shared: sharedTenants(runsOf('baseline'), runsOf('candidate')) }
  })
}

const NO_RUNS: RunsByTenant = new Map()

/**
 * The warning where runs have no strata: the sides are compared by time. A diff that is filtered to one segment has
 * no limits on others.
 */
function unread(
  { policy, compare_by }: MeasureQuestion,
  why: Exclude<Unknown, 'not_summed'>,
): ReturnType<MeasuredBy> {
  const by = byOf({ compare_by })
  const isLimited = limitsHotSpots(policy) && why !== 'filtered'
  return {
    statistics: isLimited ? { hot_spots: null } : {},
    warnings: [...(by === undefined ? [] : [insteadText(by, why)]), ...(isLimited ? [NOT_JUDGED] : [])],
  }
}

type ReadSide = Side & { readonly strata: SumsByKind }

function measured(
  question: MeasureQuestion,
  { hours, shared }: { readonly hours: Range; readonly shared: SharedTenants | undefined },
  sides: { readonly baseline: ReadSide; readonly candidate: ReadSide },
): ReturnType<MeasuredBy> {
  const { policy, compare_by, options } = question
  const { baseline, candidate } = sides
  const by = byOf({ compare_by })
  const lacking = STRATA_KINDS.filter(
    kind =>
      baseline.strata.has(kind) &&
      (baseline.strata.get(kind) === undefined || candidate.strata.get(kind) === undefined),
  )
  const isLimited = limitsHotSpots(policy)
  const compared = by === undefined ? undefined : comparedBy(question, by, hours, sides)
  const spots = hotSpots(baseline, candidate, options)
  return {
    statistics: {
      ...compared?.statistics,
      ...(spots === undefined ? (isLimited ? { hot_spots: null } : {}) : { hot_spots: spots }),
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
  by: StrataKind,
  hours: Range,
  { baseline, candidate }: { readonly baseline: ReadSide; readonly candidate: ReadSide },
): ReturnType<MeasuredBy> {
  const [b, c] = [baseline.strata.get(by), candidate.strata.get(by)]
  if (b === undefined || c === undefined) {
    return { statistics: { compare_by: by, ...notComparable(question, by, { baseline, candidate }) } }
  }
  const { plan, ...cut } = stratified(by, hours, {
    baseline: { ...baseline, strata: b },
    candidate: { ...candidate, strata: c },
  })
  const metrics = question.comparedBy(plan.match, cut)
  return {
    statistics: { compare_by: by, compared: comparedStrata(plan), ...metrics },
    warnings: strataWarnings(metrics.error_rate, plan),
  }
}
