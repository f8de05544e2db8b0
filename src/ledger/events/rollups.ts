import type { VariantSums } from '../../rules/rollup.ts'
import { HOUR_MS } from '../../base/time.ts'
import { type Range, type Segments, type Window, minuteSegmentsOf, segmentsOf } from '../../rules/window.ts'
import { type Row, type Statement, join, raw, sql } from '../../sql/port.ts'

/** Exact filters of a diff; null matches everything. */
export interface Filters {
  readonly tenant_id: string | null
  readonly task_id: string | null
}

export const NO_FILTERS: Filters = { tenant_id: null, task_id: null }

/** Width of the leading time bucket of the forensic indexes, ms. The SQL text must name it literally. */
const PROBE_MS = 600_000
const PROBES_PER_HOUR = HOUR_MS / PROBE_MS

/** Blocks of time that a window is cut into. */
export const BLOCKS = 24

/** Which block of a window a time is in, from 0 on. What is bound would make the division one of doubles. */
export function blockOf({ since, until }: Window, time: string, blocks = raw(String(BLOCKS))): Statement {
  const width = sql`CAST(${Math.max(1, until - since)} AS BIGINT)`
  return sql`(${raw(time)} - CAST(${since} AS BIGINT)) * CAST(${blocks} AS BIGINT) / ${width}`
}

/** Columns, and what their sums are called. */
type Sums = readonly (readonly [column: string, name: string, ...more: unknown[]])[]

/** The sums of columns of `p`. */
export function summed(sums: Sums): Statement {
  return raw(sums.map(([column, name]) => `sum(p.${column}) AS ${name}`).join(', '))
}

/** Columns of `s`: some, and the sums of {@link summed}. */
export function named(others: readonly string[], sums: Sums): Statement {
  return raw([...others, ...sums.map(([, name]) => name)].map(name => `s.${name}`).join(', '))
}

export function toVariantSums(row: Row): VariantSums {
  return { agent_id: String(row.agent_id), provider: String(row.provider), ...toModelSums(row) }
}

/** The sums of runs of one model. */
export function toModelSums(row: Row): Omit<VariantSums, 'agent_id' | 'provider'> {
  return {
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

/** Hours would be coarser than the blocks of a window of less than a day. */
export function cellSegmentsOf(window: Window): Segments {
  if (window.until - window.since >= BLOCKS * HOUR_MS) return segmentsOf(window)
  const { minutes, edge, beyond } = minuteSegmentsOf(window)
  const end = { from: minutes.to, to: minutes.to }
  return { hours: NOTHING, minutes: [minutes, end], edge, beyond }
}

const NOTHING: Range = { from: 0, to: 0 }

/** The events `e` of the scope in a window that match the filters, joined with others: the rest of a FROM clause. */
export function matchingEvents(window: Window, filters: Filters, joined = sql``): Statement {
  const [since, until] = [sql`${window.since}`, sql`${window.until}`]
  return isFiltered(filters)
    ? sql`(${hoursWithEvents(window)}) AS h CROSS JOIN run_events e ${joined}
        WHERE ${probed('h.bucket', { ...filters }, since, until)}`
    : sql`run_events e ${joined} WHERE e.${IN_SCOPE} AND e.ts >= ${since} AND e.ts < ${until}`
}

/**
 * All events of the scope in a window through an index that is led by the bucket and holds all columns of numbers: many
 * events are read several times as fast as row by row. The unary plus keeps planners from the index by time.
 */
export function manyEvents({ since, until }: Window, joined: Statement): Statement {
  const bucket = raw(`e.ts / ${PROBE_MS}`)
  return sql`run_events e ${joined} WHERE e.${IN_SCOPE}
    AND ${bucket} >= ${Math.floor(Math.max(0, since) / PROBE_MS)} AND ${bucket} < ${Math.ceil(until / PROBE_MS)}
    AND +e.ts >= ${since} AND +e.ts < ${until}`
}

export function isFiltered({ tenant_id, task_id }: Filters): boolean {
  return tenant_id !== null || task_id !== null
}

/** The hours of a window in which the scope has events at all, a row each. */
export function hoursWithEvents({ since, until }: Window): Statement {
  return sql`SELECT DISTINCT bucket FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf({ since, until })}`
}

/** Which hours a window touches. */
export function hoursOf({ since, until }: Window): Statement {
  return sql`bucket >= ${Math.floor(Math.max(0, since) / HOUR_MS)} AND bucket < ${Math.ceil(until / HOUR_MS)}`
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
  const inScope = TRACING.some(column => filters[column] != null) ? sql`+e.${IN_SCOPE}` : sql`e.${IN_SCOPE}`
  return sql`${inScope} AND ${inProbes(hour)} AND ${filterCondition(filters)}
    AND +e.ts >= ${since} AND +e.ts < ${until}`
}

/** The events `e` of an hour by the buckets that lead the forensic indexes. */
export function inProbes(hour: string): Statement {
  const place = (_: unknown, index: number): string => `${hour} * ${PROBES_PER_HOUR} + ${index}`
  return raw(`e.ts / ${PROBE_MS} IN (${Array.from({ length: PROBES_PER_HOUR }, place).join(', ')})`)
}

export function filterCondition(filters: Readonly<Record<string, string | null>>): Statement {
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => sql`e.${raw(column)} = ${value}`)
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}
