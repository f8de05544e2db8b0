import { HOUR_MS } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { either, eitherText } from '../../sql/dialect.ts'
import { type Statement, join, raw, sql } from '../../sql/port.ts'
import { type Filters, IN_SCOPE, hoursOf, isFiltered } from './rollups.ts'
import { BLOCK_OF_EVENT, type Span, blocksBetween } from './blocks.ts'

/** Width of the leading time bucket of PostgreSQL's forensic indexes, ms. The SQL text must name it literally. */
const PROBE_MS = 600_000
const PROBES_PER_HOUR = HOUR_MS / PROBE_MS

/** The events `e` of the scope in a window that match the filters, joined with others: the rest of a FROM clause. */
export function matchingEvents(window: Window, filters: Filters, joined = sql``): Statement {
  const span = spanOf(window)
  return isFiltered(filters)
    ? foundEvents([span], hoursWithEvents(window), { ...filters }, joined)
    : sql`run_events e ${joined} WHERE e.${IN_SCOPE} AND e.ts >= ${span.since} AND e.ts < ${span.until}`
}

export function spanOf({ since, until }: Window): Span {
  return { since: sql`${since}`, until: sql`${until}` }
}

const TRACING = ['trace_id', 'session_id', 'span_id']

/**
 * The same for filters by any forensic index, which is the one that fits: all of them are led by what {@link placesOf}
 * tells. `hours` are the `bucket`s of hours in which there may be such events. Unary pluses keep a planner, which may have
 * no statistics or old ones, from other indexes: from the one by scope and time, which would read the whole window for
 * each place, and from those by scope, tenant and task when there is a tracing id.
 */
export function foundEvents(
  spans: readonly Span[],
  hours: Statement,
  filters: Readonly<Record<string, string | null>>,
  joined = sql``,
): Statement {
  const { source, holds } = placesOf(spans, hours)
  const isTraced = TRACING.some(column => filters[column] != null)
  const scope = isTraced ? sql`+e.${IN_SCOPE}` : sql`e.${IN_SCOPE}`
  // PostgreSQL has no such sign for texts, and has statistics.
  const conditions = filterConditions(filters, column =>
    isTraced && !TRACING.includes(column) ? eitherText(`+e.${column}`, `e.${column}`) : raw(`e.${column}`),
  )
  return sql`${source} ${joined}
    WHERE ${scope} AND ${holds} AND ${conditions} AND ${within(spans)}`
}

/**
 * All events of the scope in a window through an index that is led by their place and holds all columns of numbers:
 * many events are read several times as fast as row by row.
 */
export function manyEvents(window: Window, joined: Statement): Statement {
  const span = spanOf(window)
  return either(foundEvents([span], sql``, {}, joined), () => eventsOfProbes(window, joined, span))
}

/** The same on PostgreSQL. */
function eventsOfProbes(window: Window, joined: Statement, span: Span): Statement {
  const bucket = raw(`e.ts / ${PROBE_MS}`)
  const [first, behind] = [
    Math.floor(Math.max(0, window.since) / PROBE_MS),
    Math.ceil(window.until / PROBE_MS),
  ]
  return sql`run_events e ${joined} WHERE e.${IN_SCOPE}
    AND ${bucket} >= ${first} AND ${bucket} < ${behind} AND ${within([span])}`
}

/** The unary plus keeps planners from the index by time. */
export function within(spans: readonly Span[]): Statement {
  const each = spans.map(({ since, until }) => sql`+e.ts >= ${since} AND +e.ts < ${until}`)
  return each.length === 1 ? each[0]! : sql`(${join(each, ' OR ')})`
}

interface Places {
  /** The events `e`, and what else it takes: entries of a FROM clause. */
  readonly source: Statement
  /** Which of them are in those places. */
  readonly holds: Statement
}

/**
 * Where events of a time are, by what leads the forensic indexes. SQLite numbers events as it commits them, so those of
 * a time are in few blocks of numbers; PostgreSQL commits them in any order, and goes by ten minutes of those hours: by
 * one array, which is looked up in the index at once and in order.
 */
export function placesOf(spans: readonly Span[], hours: Statement): Places {
  const probes = () => sql`SELECT h.bucket * ${raw(String(PROBES_PER_HOUR))} + k.i
    FROM (${hours}) AS h CROSS JOIN generate_series(0, ${raw(String(PROBES_PER_HOUR - 1))}) AS k (i)`
  return {
    source: either(sql`(${blocksBetween(spans)}) AS h CROSS JOIN run_events e`, () => raw('run_events e')),
    holds: either(
      // A sum, because SQLite takes no index by an expression for what is compared with a column.
      sql`${BLOCK_OF_EVENT} = h.block + 0`,
      () => sql`${raw(`e.ts / ${PROBE_MS}`)} = ANY (ARRAY(${probes()}))`,
    ),
  }
}

/** The hours of a window in which the scope has events at all, a row each. */
export function hoursWithEvents(window: Window): Statement {
  return sql`SELECT DISTINCT bucket FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf(window)}`
}

/** What filters ask of events `e`. */
export function filterConditions(
  filters: Readonly<Record<string, string | null>>,
  nameOf = (column: string) => raw(`e.${column}`),
): Statement {
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => sql`${nameOf(column)} = ${value}`)
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}
