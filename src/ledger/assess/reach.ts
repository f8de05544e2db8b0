import type { MissingForHigh } from '../../models/answers/decision.ts'
import type { Thresholds } from '../../rules/evidence.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { minuteSegmentsOf, windowCovering } from '../../rules/window.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, field, firstRow, onlyRow, orNull } from '../../sql/query.ts'
import { type Filters, IN_SCOPE, NO_FILTERS, countBetween, isFiltered, scopeCte } from '../events/rollups.ts'
import { matchingEvents } from '../events/matching.ts'

/** A side of a comparison, counted. */
export interface Counted {
  readonly release: { readonly release_id: string }
  readonly metrics: { readonly runs: number }
}

/** Counts what is missing for HIGH: from rollups, or with a filter from the events that match. */
export async function missingForHigh(
  db: Sql,
  sides: { baseline: Counted; candidate: Counted },
  thresholds: Thresholds,
  environment: string,
  until: number,
  filters: Filters = NO_FILTERS,
): Promise<MissingForHigh> {
  const { baseline, candidate } = sides
  const minutesOf = (side: Counted, wanted: number): Promise<number | null> =>
    isFiltered(filters)
      ? minutesToMatch(db, side.release.release_id, environment, until, wanted, filters)
      : minutesToHold(db, side.release.release_id, environment, until, wanted)
  const [baselineMinutes, candidateMinutes] = await Promise.all([
    minutesOf(baseline, thresholds.min_baseline_runs),
    minutesOf(candidate, thresholds.min_candidate_runs),
  ])
  const minutes =
    baselineMinutes === null || candidateMinutes === null ? null : Math.max(baselineMinutes, candidateMinutes)
  return {
    baseline_runs_needed: Math.max(0, thresholds.min_baseline_runs - baseline.metrics.runs),
    candidate_runs_needed: Math.max(0, thresholds.min_candidate_runs - candidate.metrics.runs),
    shortest_window: minutes === null ? null : windowCovering(minutes),
  }
}

/** Hours up to now that are searched minute by minute; older ones by the hour. */
const FINE_HOURS = 3

/** Minutes back from `until` that hold `wanted` runs of a release; null where there are not so many. */
async function minutesToHold(
  db: Sql,
  releaseId: string,
  environment: string,
  until: number,
  wanted: number,
): Promise<number | null> {
  if (wanted <= 0) return 0
  const fineFrom = Math.max(0, Math.floor(until / HOUR_MS) - FINE_HOURS)
  const { minutes, beyond } = minuteSegmentsOf({ since: fineFrom * HOUR_MS, until })
  const scope = scopeCte(releaseId, environment)
  const fine = allRows(
    sql`WITH ${scope} SELECT bucket, sum(runs)
        - CASE WHEN bucket = ${minutes.to - 1} THEN ${countBetween(beyond)} ELSE 0 END AS runs
      FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket >= ${minutes.from} AND bucket < ${minutes.to}
      GROUP BY bucket ORDER BY bucket DESC`,
    columns({ bucket: asNumber, runs: asNumber }),
  )
  let found = 0
  for (const { bucket, runs } of await ask(db, fine)) {
    found += runs
    if (found >= wanted) return minutesSince(bucket * MINUTE_MS, until)
  }
  const coarse = onlyRow(
    sql`WITH ${scope}, hourly AS (
        SELECT bucket, sum(runs) AS runs FROM rollup_hours
        WHERE ${IN_SCOPE} AND bucket < ${fineFrom} GROUP BY bucket
      ), running AS (SELECT bucket, sum(runs) OVER (ORDER BY bucket DESC) AS total FROM hourly)
      SELECT max(bucket) AS bucket FROM running WHERE total >= ${wanted - found}`,
    field('bucket', orNull(asNumber)),
  )
  const hour = await ask(db, coarse)
  return hour === null ? null : minutesSince(hour * HOUR_MS, until)
}

/** How far back events are looked for that match a filter, which no rollup counts. */
const FURTHEST_MATCH_MS = 90 * 24 * HOUR_MS

/** The same of events that match a filter: the age of the one that makes them enough. */
async function minutesToMatch(
  db: Sql,
  releaseId: string,
  environment: string,
  until: number,
  wanted: number,
  filters: Filters,
): Promise<number | null> {
  if (wanted <= 0) return 0
  const reach = { since: Math.max(0, until - FURTHEST_MATCH_MS), until }
  const last = firstRow(
    sql`WITH ${scopeCte(releaseId, environment)} SELECT e.ts FROM ${matchingEvents(reach, filters)}
      ORDER BY e.ts DESC LIMIT 1 OFFSET ${wanted - 1}`,
    field('ts', asNumber),
  )
  const ts = await ask(db, last)
  return ts === undefined ? null : Math.max(1, minutesSince(ts, until))
}

function minutesSince(start: number, until: number): number {
  return Math.ceil((until - start) / MINUTE_MS)
}
