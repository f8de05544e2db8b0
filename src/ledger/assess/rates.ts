import { MINUTE_MS } from '../../base/time.ts'
import { sharedWindow } from '../../rules/comparability.ts'
import { type OfSides, type Span, missingEvidence, runsPerHour } from '../../rules/missing_evidence.ts'
import { verdictOf } from '../../rules/policy.ts'
import { minuteSegmentsOf } from '../../rules/window.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { type Query, ask, firstRow, ofSides } from '../../sql/query.ts'
import { IN_SCOPE, isFiltered, scopeCte } from '../events/rollups.ts'
import { matchingEvents } from '../events/matching.ts'
import type { Evaluation } from './evaluation.ts'
import type { SideQuery, Sides } from './sides.ts'

/** Runs per hour of both sides, in the time in which they ran: to the minute, with a filter to the millisecond. */
export async function runRates(db: Sql, query: SideQuery, sides: Sides): Promise<OfSides> {
  const spans = await ask(
    db,
    ofSides(side => spanQuery(db.dialect, query[`${side}Id`], query)),
  )
  const of = (side: keyof OfSides) => runsPerHour(sides[side].metrics.runs, spans[side], query.window)
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
  const statement = isFiltered(filters)
    ? sql`${scope} SELECT min(e.ts) AS first_ms, max(e.ts) + 1 AS last_ms
        FROM ${matchingEvents(dialect, window, filters)}`
    : sql`${scope} SELECT (SELECT min(bucket) ${within}) * ${MINUTE_MS} AS first_ms,
        ((SELECT max(bucket) ${within}) + 1) * ${MINUTE_MS} AS last_ms`
  return firstRow(statement, ({ first_ms, last_ms }) =>
    first_ms === null ? undefined : { first: Number(first_ms), last: Number(last_ms) },
  )
}

/** The verdict of an evaluation, with what is missing where it lacks nothing but evidence; `rates` is asked for then. */
export async function withMissingEvidence(
  { verdict, policy, thresholds, label, statistics, plan }: Evaluation,
  { window }: SideQuery,
  sides: Sides,
  rates: () => Promise<OfSides>,
): Promise<PolicyVerdict> {
  if (verdictOf(verdict) !== 'inconclusive') return verdict
  const isApart = statistics.limits.some(limit => limit.inconclusive_because === 'not_comparable')
  const missing = missingEvidence({
    policy,
    thresholds,
    label,
    statistics,
    runs: { baseline: sides.baseline.metrics.runs, candidate: sides.candidate.metrics.runs },
    per_hour: await rates(),
    window,
    shared: isApart ? sharedWindow(sides.candidate.cells, statistics.error_rate, plan, window) : null,
  })
  return missing === undefined ? verdict : { ...verdict, missing_evidence: missing }
}
