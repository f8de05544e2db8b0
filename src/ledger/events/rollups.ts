import type { VariantSums } from '../../rules/rollup.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { type Range, type Window, minuteSegmentsOf, segmentsOf } from '../../rules/window.ts'
import { type Row, type Statement, join, sql } from '../../sql/port.ts'

/** Exact filters of a diff; null matches everything. */
export interface Filters {
  readonly tenant_id: string | null
  readonly task_id: string | null
}

export const NO_FILTERS: Filters = { tenant_id: null, task_id: null }

/** Width of the leading time bucket of the forensic indexes, ms. The SQL text must name it literally. */
const PROBE_MS = 600_000
const PROBES_PER_HOUR = HOUR_MS / PROBE_MS

/**
 * The sums of a release's events in an environment and window, a row per variant: whole hours and whole
 * minutes from the roll-ups, raw rows only at the ragged edges. With a filter, raw rows by index.
 */
export function sumsStatement(
  releaseId: string,
  environment: string,
  window: Window,
  filters: Filters,
): Statement {
  const scope = scopeCte(releaseId, environment)
  const isFiltered = filters.tenant_id !== null || filters.task_id !== null
  const parts = isFiltered ? filteredPart(window, filters) : unfilteredParts(window)
  return sql`WITH ${scope} ${isFiltered ? sql`` : sql`, ${lastMinuteCte(window)}`}
    SELECT v.agent_id, v.provider, v.model, sum(s.runs) AS runs, sum(s.errors) AS errors,
      sum(s.latency_count) AS latency_count, sum(s.latency_sum) AS latency_sum_ms,
      sum(s.input_sum) AS input_tokens, sum(s.output_sum) AS output_tokens,
      sum(s.cached_sum) AS cached_input_tokens
    FROM (${parts}) AS s JOIN variants v ON v.id = s.variant
    GROUP BY v.agent_id, v.provider, v.model HAVING sum(s.runs) > 0
    ORDER BY v.agent_id, v.provider, v.model`
}

export function toVariantSums(row: Row): VariantSums {
  return {
    agent_id: String(row.agent_id),
    provider: String(row.provider),
    model: String(row.model),
    runs: Number(row.runs),
    errors: Number(row.errors),
    latency_count: Number(row.latency_count),
    latency_sum_ms: Number(row.latency_sum_ms),
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cached_input_tokens: Number(row.cached_input_tokens),
  }
}

/** `scope` names the id of a release in an environment; it has no row where nothing was ingested. */
export function scopeCte(releaseId: string, environment: string): Statement {
  return sql`scope AS (
    SELECT id FROM scopes WHERE release_id = ${releaseId} AND environment = ${environment})`
}

/** Within the scope that {@link scopeCte} names. */
export const IN_SCOPE = sql`scope = (SELECT id FROM scope)`

/** How many events of the scope are between two times. */
export function countBetween({ from, to }: Range): Statement {
  return sql`(SELECT count(*) FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < ${to})`
}

/** Sums of integers are exact up to here. */
const EXACT = sql`9007199254740991`

/**
 * How the last, partial minute is summed: `whole` is 1 where its roll-up is taken and what is later taken off, which
 * reads few events. Doubles past 2^53 would leave more or less than was there, so then the events before the end are
 * added up.
 */
function lastMinuteCte(window: Window): Statement {
  const { minutes, beyond } = minuteSegmentsOf(window)
  return sql`last_minute AS (
    SELECT CASE WHEN EXISTS (
        SELECT 1 FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket = ${minutes.to - 1}
          AND (input_sum > ${EXACT} OR output_sum > ${EXACT} OR cached_sum > ${EXACT} OR latency_sum > ${EXACT})
      ) AND EXISTS (
        SELECT 1 FROM run_events WHERE ${IN_SCOPE} AND ts >= ${beyond.from} AND ts < ${beyond.to}
      ) THEN 0 ELSE 1 END AS whole)`
}

const IS_WHOLE = sql`(SELECT whole FROM last_minute) = 1`

/** Five terms, the most that D1 takes in one compound SELECT. */
function unfilteredParts(window: Window): Statement {
  const { hours, minutes, edge, beyond } = segmentsOf(window)
  const [before, after] = minutes
  const last = Math.max(before.to, after.to) - 1
  const isTaken = beyond.from === beyond.to ? sql`` : sql`AND (bucket < ${last} OR ${IS_WHOLE})`
  return join(
    [
      rollupPart(sql`rollup_hours`, hours),
      sql`${rollupPart(sql`rollup_minutes`, before)} ${isTaken}`,
      sql`${rollupPart(sql`rollup_minutes`, after)} ${isTaken}`,
      rawPart(edge),
      lastMinutePart(last * MINUTE_MS, beyond),
    ],
    ' UNION ALL ',
  )
}

/** What of the last minute is later than the window, taken off, or what is before its end, added. */
function lastMinutePart(start: number, { from, to }: Range): Statement {
  return sql`SELECT variant, sign, sign * (1 - success), CASE WHEN latency_ms IS NULL THEN 0 ELSE sign END,
      sign * CAST(coalesce(latency_ms, 0) AS DOUBLE PRECISION), sign * CAST(input_tokens AS DOUBLE PRECISION),
      sign * CAST(output_tokens AS DOUBLE PRECISION), sign * CAST(cached_input_tokens AS DOUBLE PRECISION)
    FROM run_events, (SELECT CASE WHEN ${IS_WHOLE} THEN -1 ELSE 1 END AS sign) AS direction
    WHERE ${IN_SCOPE} AND ts >= (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${from} AS BIGINT) ELSE CAST(${start} AS BIGINT) END)
      AND ts < (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${to} AS BIGINT) ELSE CAST(${from} AS BIGINT) END)`
}

function rollupPart(table: Statement, { from, to }: Range): Statement {
  return sql`SELECT variant, runs, errors, latency_count, latency_sum, input_sum, output_sum, cached_sum
    FROM ${table} WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

function rawPart({ from, to }: Range): Statement {
  return sql`SELECT variant, 1, 1 - success, CASE WHEN latency_ms IS NULL THEN 0 ELSE 1 END,
      CAST(coalesce(latency_ms, 0) AS DOUBLE PRECISION), CAST(input_tokens AS DOUBLE PRECISION),
      CAST(output_tokens AS DOUBLE PRECISION), CAST(cached_input_tokens AS DOUBLE PRECISION)
    FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < ${to}`
}

function filteredPart(window: Window, filters: Filters): Statement {
  return sql`SELECT variant, count(*) AS runs, sum(1 - success) AS errors, count(latency_ms) AS latency_count,
      sum(CAST(coalesce(latency_ms, 0) AS DOUBLE PRECISION)) AS latency_sum,
      sum(CAST(input_tokens AS DOUBLE PRECISION)) AS input_sum,
      sum(CAST(output_tokens AS DOUBLE PRECISION)) AS output_sum,
      sum(CAST(cached_input_tokens AS DOUBLE PRECISION)) AS cached_sum
    FROM (${hoursWithEvents(window)}) AS h CROSS JOIN run_events e
    WHERE ${probed('h.bucket', { ...filters }, sql`${window.since}`, sql`${window.until}`)}
    GROUP BY variant`
}

/** The hours of a window in which the scope has events at all, a row each. */
export function hoursWithEvents({ since, until }: Window): Statement {
  return sql`SELECT DISTINCT bucket FROM rollup_hours WHERE ${IN_SCOPE}
    AND bucket >= ${Math.floor(Math.max(0, since) / HOUR_MS)} AND bucket < ${Math.ceil(until / HOUR_MS)}`
}

const TRACING = ['trace_id', 'session_id', 'span_id']

/**
 * The events `e` of an hour, between two times, that match the filters, through the forensic index that fits: all of
 * them are led by the bucket. Unary pluses keep a planner without statistics from other indexes: from the one by scope
 * and time, which would read the whole window for each hour, and from those by scope when there is a tracing id.
 */
export function probed(
  hour: string,
  filters: Readonly<Record<string, string | null>>,
  since: Statement,
  until: Statement,
): Statement {
  const tracing = TRACING.some(column => filters[column] != null)
  const buckets = Array.from(
    { length: PROBES_PER_HOUR },
    (_, index) => `${hour} * ${PROBES_PER_HOUR} + ${index}`,
  )
  const inBucket = { text: `e.ts / ${PROBE_MS} IN (${buckets.join(', ')})`, params: [] }
  const inScope = tracing ? sql`+e.${IN_SCOPE}` : sql`e.${IN_SCOPE}`
  return sql`${inScope} AND ${inBucket} AND ${filterCondition(filters)}
    AND +e.ts >= ${since} AND +e.ts < ${until}`
}

function filterCondition(filters: Readonly<Record<string, string | null>>): Statement {
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => sql`e.${{ text: column, params: [] }} = ${value}`)
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}

/** One run_id of a side that has the given agent or model, found through the minutes that hold it. */
export function oneRunStatement(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  filters: Filters,
  variant: { agent_id?: string; model?: string },
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.run_id FROM variants v
    JOIN rollup_minutes m ON m.variant = v.id AND m.${IN_SCOPE}
      AND m.bucket >= ${Math.floor(Math.max(0, since) / MINUTE_MS)} AND m.bucket < ${Math.ceil(until / MINUTE_MS)}
    JOIN run_events e ON e.scope = m.scope AND e.variant = v.id
      AND e.ts >= m.bucket * 60000 AND e.ts < (m.bucket + 1) * 60000
    WHERE e.ts >= ${since} AND e.ts < ${until} AND ${filterCondition({ ...filters })}
      AND ${
        variant.model === undefined
          ? sql`v.agent_id = ${variant.agent_id ?? null}`
          : sql`v.model = ${variant.model}`
      }
    LIMIT 1`
}
