import { HOUR_MS } from '../../base/time.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { isWhole } from './gaps.ts'
import type { Span } from './blocks.ts'
import { foundEvents, matchingEvents, spanOf } from './matching.ts'
import { type Filters, IN_SCOPE, hoursOf } from './rollups.ts'

/** Sums of earlier times are not kept: epoch ms, as a scalar subquery. */
export const KEPT_FROM = raw('(SELECT segments_before FROM retention WHERE id = 1)')

/** The runs of one tenant or task in a window: whole hours by their sums, and all other times by single events. */
export interface NamedHours {
  /** CTEs, behind that of the scope. */
  readonly ctes: Statement
  /** The rows `t` of the rollup of runs or of parts for the hours that are summed: the rest of a FROM clause. */
  readonly sums: (of: 'runs' | 'parts') => Statement
  /** The events `e` of all other times, joined with others: the rest of a FROM clause. */
  readonly others: (joined?: Statement) => Statement
  /** The events `e` of the first and of the last hour that is summed and has runs: the rest of a FROM clause. */
  readonly ends: Statement
}

/** Of a name with fewer runs in the last eighth of the hours, runs are read one by one: as many as sums of a week have rows. */
const MANY_RUNS = 250
const LAST_PART = 8

/**
 * Splits a window into hours whose sums by the tenant or task that a filter names count all of its runs, and the rest. Not
 * summed are hours with events that wait for it or that were removed in part, those before sums are kept, and all hours of a
 * name with few runs or without sums of its own. Undefined for filters by both or neither, and without whole hours.
 */
export function namedHours(
  dialect: Sql['dialect'],
  { releaseId, environment }: { readonly releaseId: string; readonly environment: string },
  filters: Filters,
  window: Window,
  hours: Range | undefined,
): NamedHours | undefined {
  const { tenant_id, task_id } = filters
  if ((tenant_id === null) === (task_id === null) || hours === undefined || hours.from >= hours.to)
    return undefined
  const kind = tenant_id === null ? 'task' : 'tenant'
  const hour = raw(String(HOUR_MS))
  const inHours = sql`bucket >= ${hours.from} AND bucket < ${hours.to}`
  const agent = sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`
  const middle = { since: hours.from * HOUR_MS, until: hours.to * HOUR_MS }
  const last = { ...middle, since: middle.until - Math.ceil((hours.to - hours.from) / LAST_PART) * HOUR_MS }
  const matched = sql`SELECT 1 FROM ${matchingEvents(dialect, last, filters)} LIMIT ${raw(String(MANY_RUNS))}`
  const sums: NamedHours['sums'] = of =>
    sql`summed_hours h CROSS JOIN ${raw(of === 'runs' ? `rollup_${kind}_hours` : `rollup_part_${kind}_hours`)} t
      WHERE t.${IN_SCOPE} AND t.bucket = h.bucket AND t.segment = (SELECT id FROM named)`
  const notSummed = raw('bucket NOT IN (SELECT bucket FROM summed_hours)')
  const ctes = sql`named AS MATERIALIZED (
      SELECT id FROM segments WHERE agent_id = ${agent} AND environment = ${environment}
        AND kind = ${raw(`'${kind}'`)} AND name = ${tenant_id ?? task_id}
        AND CASE WHEN (SELECT count(*) FROM (${matched}) AS matched) < ${raw(String(MANY_RUNS))} THEN 0
          WHEN EXISTS (SELECT 1 FROM rollup_hours r JOIN variants v ON v.id = r.variant
            WHERE r.${IN_SCOPE} AND r.${inHours} AND v.agent_id <> ${agent}) THEN 0 ELSE 1 END = 1
    ), waiting AS MATERIALIZED (SELECT first_hour, last_hour FROM segments_unsummed
    ), summed_hours AS MATERIALIZED (
      SELECT h.bucket FROM segment_hours h WHERE EXISTS (SELECT 1 FROM named) AND h.${IN_SCOPE} AND h.${inHours}
        AND h.bucket >= ${KEPT_FROM} / ${hour} AND ${isWhole(raw('h.scope'), raw('h.bucket'), HOUR_MS)}
        AND NOT EXISTS (SELECT 1 FROM waiting u WHERE u.first_hour <= h.bucket AND u.last_hour >= h.bucket)
    ), unsummed AS MATERIALIZED (
      SELECT coalesce(min(bucket) * ${hour}, 0) AS since, coalesce((max(bucket) + 1) * ${hour}, 0) AS until
      FROM rollup_hours WHERE EXISTS (SELECT 1 FROM named) AND ${IN_SCOPE} AND ${inHours} AND ${notSummed}
      HAVING EXISTS (SELECT 1 FROM named)
      UNION ALL SELECT CAST(${middle.since} AS BIGINT), CAST(${middle.until} AS BIGINT)
      WHERE NOT EXISTS (SELECT 1 FROM named)
    ), summed_ends AS MATERIALIZED (
      SELECT coalesce(min(t.bucket), 0) AS first, coalesce(max(t.bucket), 0) AS last FROM ${sums('runs')})`
  // The longest one first: nearly all events are of it where nothing is summed.
  const spans: readonly Span[] = [
    { since: raw('(SELECT since FROM unsummed)'), until: raw('(SELECT until FROM unsummed)') },
    ...[
      { since: window.since, until: middle.since },
      { since: middle.until, until: window.until },
    ]
      .filter(({ since, until }) => since < until)
      .map(spanOf),
  ]
  const others = sql`SELECT DISTINCT bucket FROM rollup_hours
    WHERE ${IN_SCOPE} AND ${hoursOf(window)} AND ${notSummed}`
  const ends: readonly Span[] = ['first', 'last'].map(end => ({
    since: sql`(SELECT ${raw(end)} * ${hour} FROM summed_ends)`,
    until: sql`(SELECT (${raw(end)} + 1) * ${hour} FROM summed_ends)`,
  }))
  const endBuckets = raw('SELECT first AS bucket FROM summed_ends UNION SELECT last FROM summed_ends')
  return {
    ctes,
    sums,
    others: joined =>
      sql`${foundEvents(dialect, spans, others, { ...filters }, joined)}
        AND +e.ts / ${hour} NOT IN (SELECT bucket FROM summed_hours)`,
    ends: foundEvents(dialect, ends, endBuckets, { ...filters }),
  }
}
