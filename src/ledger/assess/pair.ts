import type { UsedWindow } from '../../models/answers/window_used.ts'
import type { Policy, PolicyVerdict } from '../../models/documents/policy.ts'
import { DEFAULT_POLICY, type StoredPolicy } from '../../rules/scope.ts'
import { rollbackPolicy } from '../../rules/rollback.ts'
import type { OnUnusable } from '../../rules/left_out.ts'
import { type Window, hoursWithin, minuteSegmentsOf } from '../../rules/window.ts'
import {
  type Query,
  asNumber,
  ask,
  columns,
  field,
  inTurn,
  mapped,
  ofSides,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { namedHours } from '../events/named_hours.ts'
import { IN_SCOPE, NO_FILTERS, isFiltered, scopeCte, unionAll } from '../events/rollups.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { remembered } from '../world/memo.ts'
import { type EndsFirst, endsQuery, readWindow } from '../events/gaps.ts'
import type { Fed, FedSide } from '../events/fed.ts'
import { newKnownSums } from '../events/known_sums.ts'
import { type Evaluation, evaluate } from './evaluation.ts'
import { type SideLabels, type SideQuery, type Sides, pricedSides, sidesQuery } from './sides.ts'
import { clustersFor, clustersQuery, unitOf } from './clusters.ts'
import type { MeasuredArms, StatisticsQuestion } from '../../rules/diff_statistics.ts'
import type { Requested, Measure } from './parts.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type OfSides, type Span, comingPerHour, missingEvidence } from '../../rules/missing_evidence.ts'
import { matchingEvents } from '../events/matching.ts'
import { type BucketRuns, type TimePlan, countWidthOf, sharedWindow } from '../../rules/common_time.ts'
import { type Counts, planOver } from '../../rules/moments.ts'
import { countsQuery } from './counts.ts'
import { FIRST_RUNS, beganQuery, reachQuery, startsQuery } from '../events/under_way.ts'

/** Two releases that a decision is about. */
interface Pair {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  /** Whether all is compared that a diff shows, also what the policy doesn't limit. */
  readonly isDiff?: boolean
  /** Epoch ms. */
  readonly now: number
  readonly labels: SideLabels
  readonly onUnusable?: OnUnusable
  /** See {@link StatisticsQuestion}. */
  readonly over_window?: boolean
  readonly comparisons?: number
  /** What the arms of a rollout show. */
  readonly arms?: MeasuredArms | undefined
  /** Why a promotion is blocked whatever the policy says. */
  readonly blocked?: readonly string[]
}

export interface MeasuredPair {
  readonly sides: Sides
  readonly evaluation: Evaluation
  /** That of the evaluation, with what is missing where it lacks nothing but evidence. */
  readonly verdict: PolicyVerdict
  readonly window_used?: UsedWindow
  readonly fed: FedSides
}

/** What each side takes from sources of sums. */
export interface FedSides {
  readonly baseline: FedSide | undefined
  readonly candidate: FedSide | undefined
}

/** Who keeps runs of either side as sums. */
export function keptOf({ baseline, candidate }: FedSides) {
  return [...(candidate?.kept ?? []), ...(baseline?.kept ?? [])]
}

/** Reads two releases and evaluates the policy on them. Throws 400 where they can't be compared or priced. */
export async function measurePair(
  ledger: Ledger,
  given: StoredPolicy,
  {
    baselineId,
    candidateId,
    environment,
    window: wanted,
    isDiff = false,
    now,
    labels,
    onUnusable,
    ...question
  }: Pair,
): Promise<MeasuredPair> {
  const pair = { baselineId, candidateId, environment, filters: NO_FILTERS, now }
  const isRollback = question.over_window === true
  const effective = isRollback ? { ...given, policy: rollbackPolicy(given.policy) } : given
  const requested =
    !isRollback && effective.policy.sequential === true
      ? await sinceFirstRun(ledger, { ...pair, window: wanted })
      : wanted
  const plan =
    !isRollback && comparesShared(effective.policy)
      ? await timePlanOf(
          ledger,
          { ...pair, window: requested },
          await ask(ledger.sql, countsQuery(ledger, { ...pair, window: requested })),
        )
      : undefined
  const queryOf = (window: Window) => ({ ...pair, window, cut: plan?.cut, hours: plan?.hours })
  const measures = await measuresOf(ledger, {
    policy: effective.policy,
    isDiff,
    isRollback,
  })
  const by = isRollback ? undefined : unitOf(effective.policy)
  const fed = await fedOf(ledger)
  const { dialect } = ledger.sql
  const { window, found, window_used } = await readWindow(
    requested,
    async part => {
      const query = queryOf(part)
      const compared = comparisonQuery(ledger.sql, query, measures, fed)
      const clusters = by && clustersQuery(dialect, query, by)
      const read = await ask(ledger.sql, together({ compared, clusters }))
      return { ...read.compared, coveredTo: coveredTo(read.compared.fed), clusters: read.clusters }
    },
    endsFirst(ledger, queryOf(requested), measures, fed),
  )
  const query = queryOf(window)
  const sides = await pricedSides(ledger, query, found.sides, labels, effective.policy, onUnusable)
  const evaluation = evaluate(ledger, effective, sides, now, {
    ...(await readExtras(ledger, query, sides, measures, found.extras)),
    ...clustersFor(by, found.clusters, keptOf(found.fed)),
    ...question,
    plan,
    window,
  })
  const verdict = await withMissingEvidence(evaluation, query, sides, () =>
    runRates(ledger.sql, query, sides),
  )
  return { sides, evaluation, verdict, ...usedOf(window, wanted, window_used), fed: found.fed }
}

/** Measures of features, and what they are read for. */
export interface Measures extends Requested {
  readonly measures: readonly Measure[]
}

export const NO_MEASURES: Measures = {
  measures: [],
  policy: DEFAULT_POLICY,
  isDiff: false,
  isRollback: false,
}

/** The measures of features that a policy decides by, those that diffs show, and those that are wanted by name. */
export async function measuresOf(
  { features, memo }: Pick<Ledger, 'features' | 'memo'>,
  requested: Requested,
  names: readonly string[] = [],
): Promise<Measures> {
  const all = await partsOf(features, 'measure')
  const measures = all.filter(
    ({ name, isShown = false, isLimited }) =>
      names.includes(name) || (isShown && requested.isDiff) || isLimited(requested.policy),
  )
  return { ...requested, memo, measures }
}

/** Whose sums count in place of run events, if any may. */
export async function fedOf({ features }: Pick<Ledger, 'features'>): Promise<Fed | undefined> {
  const [fed] = await partsOf(features, 'fed')
  return fed
}

/** Up to when both sides are complete, epoch ms. */
export function coveredTo({ baseline, candidate }: FedSides): number {
  return Math.min(baseline?.coveredTo ?? Infinity, candidate?.coveredTo ?? Infinity)
}

/** The ends of the window of a comparison alone, where that may save reading it twice. */
export function endsFirst(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  query: SideQuery,
  measures: Measures,
  fed: Fed | undefined,
): EndsFirst {
  const { environment, baselineId, candidateId } = query
  return {
    cutBefore: remembered(memo, 'cut windows', () => new Map<string, true>()),
    key: [environment, baselineId, candidateId].join('\0'),
    read: window =>
      ask(
        db,
        together({
          ends: endsQuery({ ...query, window }, bucketOf(measures)),
          coveredTo: fed?.coveredTo(environment, [baselineId, candidateId], window),
        }),
      ),
  }
}

function bucketOf({ measures }: Measures): number {
  return Math.max(0, ...measures.map(({ bucketMs = 0 }) => bucketMs))
}

/** All that one snapshot reads to compare two releases in a window, for {@link readWindow}. */
export function comparisonQuery({ dialect }: Sql, query: SideQuery, all: Measures, fed: Fed | undefined) {
  const { measures, ...settings } = all
  const { memo } = settings
  const extras: Record<string, Query<unknown>> = {}
  for (const measure of measures) extras[measure.name] = measure.query(dialect, query, settings)
  const sourcesOf = (side: keyof OfSides) =>
    fed?.sourcesOf(dialect, query[`${side}Id`], query.environment, query.window)
  return together({
    ends: endsQuery(query, bucketOf(all)),
    sides: sidesQuery(dialect, query, memo && remembered(memo, 'sums by block', newKnownSums)),
    fed: together({ baseline: sourcesOf('baseline'), candidate: sourcesOf('candidate') }),
    extras: together(extras),
  })
}

/** What the measures read, as the statistics take it. */
export async function readExtras(
  ledger: Pick<Ledger, 'sql' | 'memo'>,
  query: SideQuery,
  sides: Sides,
  { measures }: Measures,
  read: Readonly<Record<string, unknown>>,
): Promise<Pick<StatisticsQuestion, 'extras' | 'apart'>> {
  const extras = measures.map(({ name, measured }) => measured(ledger, query, sides, read[name] as never))
  return {
    extras: await Promise.all(extras),
    apart: measures.flatMap(({ name, apart }) => apart?.(read[name] as never) ?? []),
  }
}

/** Runs per hour of both sides, in the time in which they ran: to the minute, with a filter to the millisecond. */
export async function runRates(
  db: Sql,
  query: SideQuery,
  sides: Sides,
  rate = comingPerHour,
): Promise<OfSides> {
  return runRatesOf(await ask(db, spansQuery(db.dialect, query)), query, sides, rate)
}

/** When both sides ran within the window. */
export function spansQuery(dialect: Sql['dialect'], query: SideQuery): Query<OfSides<Span>> {
  return ofSides(side => spanQuery(dialect, query[`${side}Id`], query))
}

/** See {@link runRates}. */
export function runRatesOf(
  spans: OfSides<Span>,
  { window }: Pick<SideQuery, 'window'>,
  sides: Sides,
  rate = comingPerHour,
): OfSides {
  const of = (side: keyof OfSides) => rate(sides[side].metrics.runs, spans[side], window)
  return { baseline: of('baseline'), candidate: of('candidate') }
}

function spanQuery(
  dialect: Sql['dialect'],
  releaseId: string,
  { environment, window, filters }: SideQuery,
): Query<Span> {
  const scope = sql`WITH ${scopeCte(releaseId, environment)}`
  const { from, to } = minuteSegmentsOf(window).minutes
  const within = sql`FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
  const byName = namedHours(dialect, { releaseId, environment }, filters, window, hoursWithin(window))
  const events = byName && [byName.others(), byName.ends]
  const times = (events ?? [matchingEvents(dialect, window, filters)]).map(
    own => sql`SELECT min(e.ts) AS first_ms, max(e.ts) + 1 AS last_ms FROM ${own}`,
  )
  const statement = isFiltered(filters)
    ? sql`${byName === undefined ? scope : sql`${scope}, ${byName.ctes}`}
        SELECT min(first_ms) AS first_ms, max(last_ms) AS last_ms FROM (${unionAll(times)}) AS t`
    : sql`${scope} SELECT (SELECT min(bucket) ${within}) * ${MINUTE_MS} AS first_ms,
        ((SELECT max(bucket) ${within}) + 1) * ${MINUTE_MS} AS last_ms`
  const ends = columns({ first_ms: orNull(asNumber), last_ms: orNull(asNumber) })
  return mapped(onlyRow(statement, ends), ({ first_ms: first, last_ms: last }) =>
    first === null || last === null ? undefined : { first, last },
  )
}

/** The verdict of an evaluation, with what is missing where it lacks nothing but evidence; `rates` is read then. */
export async function withMissingEvidence(
  { verdict, policy, thresholds, label, statistics, plan }: Evaluation,
  { window }: SideQuery,
  sides: Sides,
  rates: () => Promise<OfSides>,
): Promise<PolicyVerdict> {
  if (verdict.result !== 'not_yet') return verdict
  const isApart = statistics.limits.some(limit => limit.inconclusive_because === 'not_comparable')
  const missing = missingEvidence({
    policy,
    thresholds,
    label,
    statistics,
    runs: { baseline: sides.baseline.metrics.runs, candidate: sides.candidate.metrics.runs },
    per_hour: await rates(),
    window,
    shared: isApart ? sharedWindow(sides.candidate.aggregates, statistics.error_rate, plan, window) : null,
  })
  return missing === undefined ? verdict : { ...verdict, missing_evidence: missing }
}

/** What is compared; unset is `time`. */
export type CompareBy = NonNullable<Policy['compare_by']>

/** Whether what both sides share is compared, or the window as it is. */
export function comparesShared({ compare_by }: { readonly compare_by?: CompareBy | undefined }): boolean {
  return compare_by !== 'window'
}

/** What was counted, where that is not what was wanted. */
export function usedOf(
  window: Window,
  wanted: Window,
  cut: UsedWindow | undefined,
): { readonly window_used?: UsedWindow } {
  if (cut === undefined && window.since === wanted.since) return {}
  return { window_used: { since: isoTime(window.since), until: isoTime(window.until) } }
}

/** How long before its end a window that holds at all looks may begin, ms. */
const LONGEST_MS = 35 * DAY_MS

/**
 * The window of intervals that hold at all looks: it begins at the candidate's first run, to the hour, where that is earlier.
 * They hold as long as runs are added; of a window that moves on each look would be a new test.
 */
export async function sinceFirstRun(
  { sql: db }: Pick<Ledger, 'sql'>,
  { candidateId, environment, window }: Pick<SideQuery, 'candidateId' | 'environment' | 'window'>,
): Promise<Window> {
  const first = await ask(
    db,
    onlyRow(
      sql`WITH ${scopeCte(candidateId, environment)} SELECT min(bucket) AS first FROM rollup_hours
        WHERE ${IN_SCOPE} AND bucket >= ${Math.floor(Math.max(0, window.until - LONGEST_MS) / HOUR_MS)}`,
      field('first', orNull(asNumber)),
    ),
  )
  return first === null ? window : { ...window, since: Math.min(window.since, first * HOUR_MS) }
}

/** When as many runs as {@link beganQuery} reads have ended, from whole buckets; else the end of the window. Epoch ms. */
function endOfFirst(buckets: readonly BucketRuns[], since: number, window: Window): number {
  const widthMs = countWidthOf(window)
  let runs = 0
  for (const own of buckets) {
    if (own.bucket * widthMs >= since) runs += own.runs
    if (runs >= FIRST_RUNS) return Math.min(window.until, (own.bucket + 1) * widthMs)
  }
  return window.until
}

/** See {@link planOver}. */
export function timePlanOf(
  { sql: db }: Pick<Ledger, 'sql'>,
  { window, environment, filters, ...query }: SideQuery,
  counts: OfSides<Counts>,
): Promise<TimePlan> {
  const { dialect } = db
  const ofBoth = <T>(of: (id: string, side: keyof OfSides) => Query<T>) =>
    ask(
      db,
      ofSides(side => of(query[`${side}Id`], side)),
    )
  return planOver(counts, window, {
    began: (sides, since) => {
      const began = sides.map(side => {
        // Rows of a filter are not in order of time, so those of later hours are left out before they are sorted.
        const until = isFiltered(filters) ? endOfFirst(counts[side].within, since, window) : window.until
        return beganQuery(dialect, query[`${side}Id`], environment, { since, until }, filters)
      })
      return ask(db, inTurn(began))
    },
    starts: (times, oneIn) =>
      ofBoth((id, side) => startsQuery(dialect, id, environment, filters, { times, oneIn: oneIn[side] })),
    reach: (moments, mostRuns) =>
      ofBoth(id => reachQuery(dialect, id, environment, moments, window, mostRuns)),
  })
}
