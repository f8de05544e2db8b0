import type { CellSums, VariantSums } from '../../rules/rollup.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
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
const BLOCKS = 24

/**
 * The sums of a release's events in an environment and window, a row per block of time and variant: whole hours and
 * whole minutes from the roll-ups, raw rows only at the ragged edges. With a filter, raw rows by index. Of a release
 * with very many variants, which anybody who sends events can make up, all is in one block.
 */
export function cellsStatement(
  releaseId: string,
  environment: string,
  window: Window,
  filters: Filters,
  blocks = BLOCKS,
): Statement {
  const scope = scopeCte(releaseId, environment)
  const filtered = isFiltered(filters)
  const parts = filtered ? filteredPart(window, filters) : unfilteredParts(window)
  return sql`WITH ${scope} ${filtered ? sql`` : sql`, ${lastMinuteCte(window)}`}, cut AS (
      SELECT CASE WHEN ${moreThan(MOST_VARIANTS, sql`SELECT 1 FROM variants`)} AND ${moreThan(
        MOST_VARIANTS,
        sql`SELECT DISTINCT variant FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf(window)}`,
      )} THEN 1 ELSE ${blocks} END AS blocks)
    SELECT ${NAMED}, v.agent_id, v.provider, v.model
    FROM (
      SELECT p.variant, ${blockOf(window, 'p.at_ms', sql`(SELECT blocks FROM cut)`)} AS block,
        ${SUMMED}
      FROM (${parts}) AS p GROUP BY p.variant, 2 HAVING sum(p.runs) > 0
    ) AS s JOIN variants v ON v.id = s.variant
    ORDER BY v.agent_id, v.provider, v.model, s.block`
}

/** Which block of a window a time is in, from 0 on. What is bound would make the division one of doubles. */
export function blockOf({ since, until }: Window, time: string, blocks = raw(String(BLOCKS))): Statement {
  const width = sql`CAST(${Math.max(1, until - since)} AS BIGINT)`
  return sql`(${raw(time)} - CAST(${since} AS BIGINT)) * CAST(${blocks} AS BIGINT) / ${width}`
}

/** Variants of a release beyond which its runs are not told apart by time. */
const MOST_VARIANTS = 500

/** Whether a query has more rows than that; no more of them are read than it takes to know. */
function moreThan(count: number, query: Statement): Statement {
  const limit = raw(String(count + 1))
  return sql`(SELECT count(*) FROM (${query} LIMIT ${limit}) AS found) > ${raw(String(count))}`
}

/** What an event adds to the sums of a roll-up, and what the sums are called that leave. */
const AMOUNTS = [
  ['latency_sum', 'latency_sum_ms', ['latency_ms']],
  ['latency_sq', 'latency_sum_ms2', ['latency_ms', 'latency_ms']],
  ['input_sum', 'input_tokens', ['input_tokens']],
  ['output_sum', 'output_tokens', ['output_tokens']],
  ['cached_sum', 'cached_input_tokens', ['cached_input_tokens']],
  ['input_sq', 'input_sq', ['input_tokens', 'input_tokens']],
  ['input_output', 'input_output', ['input_tokens', 'output_tokens']],
  ['input_cached', 'input_cached', ['input_tokens', 'cached_input_tokens']],
  ['output_sq', 'output_sq', ['output_tokens', 'output_tokens']],
  ['output_cached', 'output_cached', ['output_tokens', 'cached_input_tokens']],
  ['cached_sq', 'cached_sq', ['cached_input_tokens', 'cached_input_tokens']],
] as const
const COUNTS = ['runs', 'errors', 'latency_count'] as const
const SUMS = [...COUNTS.map(name => [name, name] as const), ...AMOUNTS]
const COLUMNS = SUMS.map(([column]) => column).join(', ')
const SUMMED = summed(SUMS)
const NAMED = named(['variant', 'block'], SUMS)

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

/** What an event adds to each column of a roll-up, times a sign. */
function ofOneEvent(sign: string): string[] {
  const amounts = AMOUNTS.map(([, , factors]) => {
    const [first, ...rest] = factors.map(name => (name === 'latency_ms' ? 'coalesce(latency_ms, 0)' : name))
    return [sign, `CAST(${first} AS DOUBLE PRECISION)`, ...rest].join(' * ')
  })
  return [sign, `${sign} * (1 - success)`, `CASE WHEN latency_ms IS NULL THEN 0 ELSE ${sign} END`, ...amounts]
}

const asRollup = (amounts: readonly string[]): Statement =>
  raw(amounts.map((amount, index) => `${amount} AS ${SUMS[index]![0]}`).join(', '))
const SIGNED_EVENT = asRollup(ofOneEvent('sign'))
const SUMMED_EVENTS = asRollup(ofOneEvent('1').map(amount => `sum(${amount})`))

export function toCellSums(row: Row): CellSums {
  return {
    ...toVariantSums(row),
    block: Number(row.block),
    latency_sum_ms2: Number(row.latency_sum_ms2),
    token_products: PRODUCTS.map(name => Number(row[name])),
  }
}

const PRODUCTS = AMOUNTS.slice(5).map(([, name]) => name)

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

/** Sums of integers are exact up to 2^53 - 1. */
const PAST_EXACT = raw(AMOUNTS.map(([column]) => `${column} > 9007199254740991`).join(' OR '))

/**
 * How the last, partial minute is summed: `whole` is 1 where its roll-up is taken and what is later taken off, which
 * reads few events. Doubles past 2^53 would leave more or less than was there, so then the events before the end are
 * added up.
 */
function lastMinuteCte(window: Window): Statement {
  const { minutes, beyond } = minuteSegmentsOf(window)
  return sql`last_minute AS (
    SELECT CASE WHEN EXISTS (
        SELECT 1 FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket = ${minutes.to - 1} AND (${PAST_EXACT})
      ) AND EXISTS (
        SELECT 1 FROM run_events WHERE ${IN_SCOPE} AND ts >= ${beyond.from} AND ts < ${beyond.to}
      ) THEN 0 ELSE 1 END AS whole)`
}

const IS_WHOLE = sql`(SELECT whole FROM last_minute) = 1`

/** Five terms, the most that D1 takes in one compound SELECT. */
function unfilteredParts(window: Window): Statement {
  const { hours, minutes, edge, beyond } = cellSegmentsOf(window)
  const [before, after] = minutes
  const last = Math.max(before.to, after.to) - 1
  const isTaken = beyond.from === beyond.to ? sql`` : sql`AND (bucket < ${last} OR ${IS_WHOLE})`
  return join(
    [
      rollupPart('rollup_hours', HOUR_MS, hours),
      sql`${rollupPart('rollup_minutes', MINUTE_MS, before)} ${isTaken}`,
      sql`${rollupPart('rollup_minutes', MINUTE_MS, after)} ${isTaken}`,
      rawPart(edge, window),
      lastMinutePart(last * MINUTE_MS, beyond),
    ],
    ' UNION ALL ',
  )
}

/** Hours would be coarser than the blocks of a window of less than a day. */
export function cellSegmentsOf(window: Window): Segments {
  if (window.until - window.since >= BLOCKS * HOUR_MS) return segmentsOf(window)
  const { minutes, edge, beyond } = minuteSegmentsOf(window)
  const end = { from: minutes.to, to: minutes.to }
  return { hours: NOTHING, minutes: [minutes, end], edge, beyond }
}

const NOTHING: Range = { from: 0, to: 0 }

/** What of the last minute is later than the window, taken off, or what is before its end, added. */
function lastMinutePart(start: number, { from, to }: Range): Statement {
  return sql`SELECT CAST(${start} AS BIGINT) AS at_ms, variant, ${SIGNED_EVENT}
    FROM run_events, (SELECT CASE WHEN ${IS_WHOLE} THEN -1 ELSE 1 END AS sign) AS direction
    WHERE ${IN_SCOPE} AND ts >= (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${from} AS BIGINT) ELSE CAST(${start} AS BIGINT) END)
      AND ts < (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${to} AS BIGINT) ELSE CAST(${from} AS BIGINT) END)`
}

function rollupPart(
  table: 'rollup_hours' | 'rollup_minutes',
  widthMs: number,
  { from, to }: Range,
): Statement {
  return sql`SELECT bucket * ${raw(String(widthMs))} AS at_ms, variant, ${raw(COLUMNS)}
    FROM ${raw(table)} WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

/** Summed before the sort that joins the parts, which would carry all columns of each event. */
function rawPart({ from, to }: Range, window: Window): Statement {
  return sql`SELECT min(ts) AS at_ms, variant, ${SUMMED_EVENTS}
    FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < ${to} GROUP BY variant, ${blockOf(window, 'ts')}`
}

function filteredPart(window: Window, filters: Filters): Statement {
  return sql`SELECT min(e.ts) AS at_ms, e.variant, ${SUMMED_EVENTS} FROM ${matchingEvents(window, filters)}
    GROUP BY e.variant, ${blockOf(window, 'e.ts')}`
}

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
