import { MINUTE_MS } from '../../base/time.ts'
import { sharedWindow } from '../../rules/comparability.ts'
import { type OfSides, type Span, missingEvidence, runsPerHour } from '../../rules/missing_evidence.ts'
import { verdictOf } from '../../rules/policy.ts'
import { minuteSegmentsOf } from '../../rules/window.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { type Result, type Sql, type Statement, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { IN_SCOPE, isFiltered, scopeCte } from '../events/rollups.ts'
import { matchingEvents } from '../matching/matching.ts'
import type { Evaluation } from './evaluation.ts'
import type { SideQuery, Sides } from './sides.ts'

/** How many results {@link toRates} reads. */
export const SPAN_RESULTS = 2

/** When each side ran first and last in the window, for {@link toRates}: to the minute, with a filter to the millisecond. */
export function spanStatements(dialect: Sql['dialect'], query: SideQuery): Statement[] {
  const { environment, window, filters } = query
  return [query.baselineId, query.candidateId].map(releaseId => {
    const scope = sql`WITH ${scopeCte(releaseId, environment)}`
    if (isFiltered(filters)) {
      return sql`${scope} SELECT min(e.ts) AS first_ms, max(e.ts) + 1 AS last_ms
        FROM ${matchingEvents(dialect, window, filters)}`
    }
    const { from, to } = minuteSegmentsOf(window).minutes
    const within = sql`FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
    return sql`${scope} SELECT (SELECT min(bucket) ${within}) * ${MINUTE_MS} AS first_ms,
      ((SELECT max(bucket) ${within}) + 1) * ${MINUTE_MS} AS last_ms`
  })
}

/** Runs per hour of both sides, in the time in which they ran. */
export function toRates(results: readonly Result[], { window }: SideQuery, sides: Sides): OfSides {
  const [baseline, candidate] = results.map(({ rows }): Span => {
    const first = nullable(rows[0]?.first_ms, Number)
    return first === null ? undefined : { first, last: Number(rows[0]!.last_ms) }
  })
  return {
    baseline: runsPerHour(sides.baseline.metrics.runs, baseline, window),
    candidate: runsPerHour(sides.candidate.metrics.runs, candidate, window),
  }
}

/** The verdict of an evaluation, which says what is missing where that is nothing but evidence. */
export function withMissingEvidence(
  { verdict, policy, thresholds, label, statistics }: Evaluation,
  { window }: SideQuery,
  sides: Sides,
  per_hour: OfSides,
): PolicyVerdict {
  if (verdictOf(verdict) !== 'inconclusive') return verdict
  const isApart = statistics.limits.some(
    ({ inconclusive_because: doubt }) => doubt === 'not_comparable' || doubt === 'too_few_blocks',
  )
  const missing = missingEvidence({
    policy,
    thresholds,
    label,
    statistics,
    runs: { baseline: sides.baseline.metrics.runs, candidate: sides.candidate.metrics.runs },
    per_hour,
    window,
    shared: isApart ? sharedWindow(sides.baseline.cells, sides.candidate.cells, window) : null,
  })
  return missing === undefined ? verdict : { ...verdict, missing_evidence: missing }
}
