import type { UsedWindow } from '../../models/answers/window_used.ts'
import type { Policy, PolicyVerdict } from '../../models/documents/policy.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import { rollbackPolicy } from '../../rules/rollback.ts'
import type { OnUnusable } from '../../rules/left_out.ts'
import { type Window, hoursWithin, minuteSegmentsOf } from '../../rules/window.ts'
import {
  type Query,
  asNumber,
  ask,
  columns,
  field,
  mapped,
  onlyRow,
  orNull,
  rowsOfSides,
} from '../../sql/query.ts'
import { matchingRuns } from '../events/matching_runs.ts'
import { IN_SCOPE, NO_FILTERS, isFiltered, scopeCte, unionAll } from '../events/rollups.ts'
import type { Ledger } from '../world/ledger.ts'
import {
  type Evaluation,
  type JudgeQuestion,
  judgeReading,
  pricedReading,
  withMissingEvidence,
} from './evaluation.ts'
import type { SideLabels, SideQuery, Sides } from './sides.ts'
import { unitOf } from './clusters.ts'
import {
  type ComparisonReader,
  type FedSides,
  type First,
  comparesShared,
  comparisonReader,
  measuresOf,
} from './comparison.ts'
import { type ExpectedLive, expectedPair, expectedPolicy } from './expected.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type OfSides, type Span, comingPerHour } from '../../rules/missing_evidence.ts'

/** Two releases that a decision is about. */
interface Pair extends Omit<JudgeQuestion, 'sequential' | 'compare_by'> {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  /** Whether all is compared that a diff shows, also what the policy doesn't limit. */
  readonly isDiff?: boolean
  readonly labels: SideLabels
  readonly onUnusable?: OnUnusable
}

export interface MeasuredPair {
  readonly sides: Sides
  readonly evaluation: Evaluation
  /** That of the evaluation, with what is missing where it lacks nothing but evidence. */
  readonly verdict: PolicyVerdict
  readonly window_used?: UsedWindow
  readonly fed: FedSides
}

/** What a pair is read for. */
type PairQuestion = Omit<Pair, 'labels' | 'onUnusable' | 'comparisons' | 'arms' | 'blocked'>

/** A comparison that is read in the snapshot of its place: of the releases and by the policy that are expected there. */
export interface ReadAhead {
  readonly query: Query<First<undefined>>
  /** The comparison where it is this question; undefined where it is another. */
  readonly of: (effective: StoredPolicy, question: PairQuestion) => ComparisonReader<undefined> | undefined
}

/** See {@link ReadAhead}; undefined where nothing is expected yet. */
export async function readAhead(
  ledger: Ledger,
  place: ExpectedLive,
  question: Omit<PairQuestion, 'baselineId' | 'candidateId'>,
): Promise<ReadAhead | undefined> {
  const [ids, policy] = [expectedPair(ledger.memo, place), expectedPolicy(ledger.memo, place)]
  // Where its window begins isn't known yet.
  if (ids === undefined || policy === undefined || isSequential(policy, question)) return undefined
  const pair = { ...question, ...ids }
  const reader = await pairReader(ledger, policy, pair)
  const key = keyOf(policy, pair)
  return {
    query: reader.first,
    of: (effective, other) => (keyOf(effective.policy, other) === key ? reader : undefined),
  }
}

function keyOf(
  policy: Policy,
  { baselineId, candidateId, environment, window, isDiff = false, now, over_window = false }: PairQuestion,
): string {
  return JSON.stringify([policy, baselineId, candidateId, environment, window, isDiff, now, over_window])
}

function isSequential(policy: Policy, { over_window }: Pick<PairQuestion, 'over_window'>): boolean {
  return over_window !== true && policy.sequential === true
}

async function pairReader(
  ledger: Ledger,
  given: Policy,
  { isDiff = false, over_window: isRollback = false, ...pair }: PairQuestion,
): Promise<ComparisonReader<undefined>> {
  const policy = isRollback ? rollbackPolicy(given) : given
  return comparisonReader(ledger, {
    query: { ...pair, filters: NO_FILTERS },
    measures: await measuresOf(ledger, { policy, isDiff, isRollback }),
    sharesTime: !isRollback && comparesShared(policy),
    by: isRollback ? undefined : unitOf(policy),
  })
}

/**
 * Reads two releases and evaluates the policy on them. Throws 400 where they can't be compared or priced. What was read
 * `ahead` is not read again.
 */
export async function measurePair(
  ledger: Ledger,
  given: StoredPolicy,
  { labels, onUnusable, ...question }: Pair,
  ahead?: { readonly of: ReadAhead['of']; readonly first: First<undefined> | undefined },
): Promise<MeasuredPair> {
  const { window: wanted } = question
  const policy = question.over_window === true ? rollbackPolicy(given.policy) : given.policy
  const known = ahead?.first && ahead.of(given, question)
  const reader =
    known ??
    (await pairReader(ledger, given.policy, {
      ...question,
      window: isSequential(policy, question) ? await sinceFirstRun(ledger, question) : wanted,
    }))
  const found = await reader.rest((known && ahead?.first) ?? (await ask(ledger.sql, reader.first)))
  const reading = await pricedReading(ledger, found, labels, policy, onUnusable)
  const { query, sides, fed } = reading
  const evaluation = judgeReading(ledger.workspace, { ...given, policy }, reading, question)
  const verdict =
    evaluation.verdict.result === 'not_yet'
      ? withMissingEvidence(evaluation, reading, await runRates(ledger.sql, query, sides))
      : evaluation.verdict
  return { sides, evaluation, verdict, ...usedOf(query.window, wanted, found.window_used), fed }
}

/** Runs per hour of both sides, in the time in which they ran: to the minute, with a filter to the millisecond. */
export async function runRates(
  db: Sql,
  query: SideQuery,
  sides: Sides,
  rate = comingPerHour,
): Promise<OfSides> {
  return runRatesOf(await ask(db, spansQuery(query)), query, sides, rate)
}

/** When both sides ran within the window. */
export function spansQuery(query: SideQuery): Query<OfSides<Span>> {
  const spans = rowsOfSides(side => spanStatement(query[`${side}Id`], query), 'first_ms', toSpan)
  return mapped(spans, ({ baseline: [baseline], candidate: [candidate] }) => ({ baseline, candidate }))
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

function spanStatement(releaseId: string, { environment, window, filters }: SideQuery): Statement {
  if (isFiltered(filters)) {
    const place = { releaseId, environment }
    const { ctes, outermost } = matchingRuns(place, filters, window, hoursWithin(window))
    const times = outermost().map(
      events => sql`SELECT min(e.ts) AS first_ms, max(e.ts) + 1 AS last_ms FROM ${events}`,
    )
    return sql`WITH ${ctes} SELECT min(first_ms) AS first_ms, max(last_ms) AS last_ms FROM (${unionAll(times)}) AS t`
  }
  const { from, to } = minuteSegmentsOf(window).minutes
  const within = sql`FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
  return sql`WITH ${scopeCte(releaseId, environment)} SELECT (SELECT min(bucket) ${within}) * ${MINUTE_MS} AS first_ms,
    ((SELECT max(bucket) ${within}) + 1) * ${MINUTE_MS} AS last_ms`
}

const readEnds = columns({ first_ms: orNull(asNumber), last_ms: orNull(asNumber) })

function toSpan(row: Row): Span {
  const { first_ms: first, last_ms: last } = readEnds(row)
  return first === null || last === null ? undefined : { first, last }
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
