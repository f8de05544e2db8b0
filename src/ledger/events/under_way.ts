import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { BucketRuns, Moments } from '../../rules/common_time.ts'
import type { Reach } from '../../rules/moments.ts'
import { MOST_RUNS, beganOf } from '../../rules/share_steps.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  columns,
  field,
  mapped,
  onlyRow,
  orNull,
} from '../../sql/query.ts'
import { filterConditions, matchingEvents } from './matching.ts'
import { type Filters, IN_SCOPE, scopeCte } from './rollups.ts'

/** Runs of a release, those that ended first, whose starts say when it began. */
export const FIRST_RUNS = 200

/** When the runs of a release in a window began, epoch ms; undefined without events. */
export function beganQuery(
  releaseId: string,
  environment: string,
  window: Window,
  filters: Filters,
): Query<number | undefined> {
  const first = sql`SELECT e.ts - coalesce(e.latency_ms, 0) AS began FROM ${matchingEvents(window, filters)}
    ORDER BY e.ts LIMIT ${raw(String(FIRST_RUNS))}`
  const starts = onlyRow(
    sql`WITH ${scopeCte(releaseId, environment)} SELECT '[' || string_agg(CAST(began AS TEXT), ',') || ']' AS starts FROM (${first}) AS runs`,
    field('starts', orNull(asJson<number[]>)),
  )
  return mapped(starts, found => beganOf(found ?? []))
}

/** How many runs of a release that ended within some times began in each minute: one in so many is counted. */
export function startsQuery(
  releaseId: string,
  environment: string,
  filters: Filters,
  { times, oneIn }: { readonly times: readonly Range[]; readonly oneIn: number },
): Query<BucketRuns[]> {
  const listed = jsonRows(
    times.map(({ from, to }) => [from, to]),
    'given',
  )
  const given = (index: number): string => `CAST(given.value ->> ${index} AS BIGINT)`
  const bucket = raw(`(e.ts - coalesce(e.latency_ms, 0)) / ${MINUTE_MS}`)
  return allRows(
    sql`WITH ${scopeCte(releaseId, environment)} SELECT ${bucket} AS bucket, count(*) AS runs
      FROM ${listed} CROSS JOIN run_events e
      WHERE e.${IN_SCOPE} AND ${raw(`e.ts >= ${given(0)} AND e.ts < ${given(1)}`)} AND e.seq % ${raw(String(oneIn))} = 0
        AND ${filterConditions({ ...filters })} GROUP BY ${bucket} ORDER BY 1`,
    columns({ bucket: asNumber, runs: asNumber }),
  )
}

export function reachQuery(
  releaseId: string,
  environment: string,
  moments: Moments,
  window: Window,
  mostRuns = MOST_RUNS,
): Query<Reach> {
  const { from, where } = minutes(moments, window)
  const statement = sql`WITH ${scopeCte(releaseId, environment)}, found AS (
      SELECT coalesce(sum(um.runs), 0) AS runs, max(um.bucket) AS last,
        coalesce(max((um.bucket + 1) * ${raw(String(MINUTE_MS))} - uk.moment), 0) AS over_ms FROM ${from} WHERE ${where})
    SELECT runs, last, over_ms, CASE WHEN runs > ${raw(String(mostRuns))} THEN 0 ELSE (
      SELECT count(*) FROM ${from} CROSS JOIN run_events e WHERE ${where} AND ${OF_MINUTE}) END AS kept FROM found`
  const read = columns({ runs: asNumber, last: orNull(asNumber), over_ms: asNumber, kept: asNumber })
  return mapped(onlyRow(statement, read), ({ runs, last, over_ms, kept }) => ({
    isReadable: kept >= runs,
    until: last === null ? null : (last + 1) * MINUTE_MS,
    over_ms,
  }))
}

/** Whether an event `e` is one of those that a minute `um` sums. */
const OF_MINUTE = raw(`e.scope = um.scope AND e.variant = um.variant
  AND e.ts >= um.bucket * ${MINUTE_MS} AND e.ts < (um.bucket + 1) * ${MINUTE_MS}`)

/**
 * The minutes `um` of the scope in a window that may hold runs which were under way at `uk.moment`: the longest run of
 * a minute lasted no longer than the root of the sum of squares.
 */
function minutes({ at, over_ms = Infinity }: Moments, { since, until }: Window) {
  const moments = at.map((then, index) => {
    const next = at[index + 1]
    // A run counts once, at the last moment within it.
    const behind = next === undefined ? Math.max(then, until) : next - (next % MINUTE_MS)
    return [then, Math.min(then + over_ms, behind)]
  })
  const given = (index: number): string => `CAST(given.value ->> ${index} AS BIGINT)`
  const mayHold = (table: string, width: number): Statement => {
    const age = `(${table}.bucket * ${width} - uk.moment)`
    return sql`${raw(`${table}.${IN_SCOPE.text} AND ${table}.bucket >= uk.moment / ${width} AND ${table}.bucket * ${width} < uk.behind
        AND ${table}.latency_sq > 0 AND (${age} <= 0 OR ${table}.latency_sq >= CAST(${age} AS DOUBLE PRECISION) * ${age})
        AND ${table}.bucket >= ${Math.floor(Math.max(0, since) / width)}`)}`
  }
  return {
    from: sql`(SELECT DISTINCT ${raw(`${given(0)} AS moment, ${given(1)} AS behind`)} FROM ${jsonRows(moments, 'given')}) AS uk
      CROSS JOIN rollup_hours uh CROSS JOIN rollup_minutes um`,
    where: sql`${mayHold('uh', HOUR_MS)} AND ${mayHold('um', MINUTE_MS)}
      AND um.variant = uh.variant AND um.bucket >= uh.bucket * 60 AND um.bucket < uh.bucket * 60 + 60`,
  }
}

/**
 * The events `e` of the scope in a window that match the filters and were under way at one of some moments, joined with others:
 * the rest of a FROM clause. What ended in the minute of a moment before it counts among them.
 */
export function eventsUnderWay(
  moments: Moments,
  window: Window,
  filters: Filters,
  joined = sql``,
): Statement {
  const { from, where } = minutes(moments, window)
  const { since, until } = window
  return sql`${from} CROSS JOIN run_events e ${joined}
    WHERE ${where} AND ${OF_MINUTE}
      AND e.ts >= ${since} AND e.ts < ${until} AND e.ts < uk.behind
      AND e.ts >= uk.moment / ${raw(String(MINUTE_MS))} * ${raw(String(MINUTE_MS))}
      AND e.ts - coalesce(e.latency_ms, 0) < uk.moment AND ${filterConditions({ ...filters })}`
}

/** Counts each row twice: `moved.sign` is -1 for what is taken from its block, and 1 for what goes to {@link MOVED_MS}. */
export const MOVED = raw('CROSS JOIN (SELECT -1 AS sign UNION ALL SELECT 1) AS moved')

/** The time of a row that is moved: no event is of it. */
export function movedAt(ts: string): Statement {
  return raw(`CASE WHEN moved.sign < 0 THEN ${ts} ELSE -1 END`)
}
