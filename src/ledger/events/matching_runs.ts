import { HOUR_MS } from '../../base/time.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { isWhole } from './gaps.ts'
import type { Span } from './blocks.ts'
import { foundEvents, matchingEvents, spanOf } from './matching.ts'
import { type Filters, IN_SCOPE, hoursOf, scopeCte } from './rollups.ts'

/** Sums of earlier times are not kept: epoch ms, as a scalar subquery. */
export const KEPT_FROM = raw('(SELECT segments_before FROM retention WHERE id = 1)')

/** The runs of a release in a window that match a filter: events, and where it has them sums of whole hours. */
interface MatchingRuns {
  /** CTEs, the scope among them. */
  readonly ctes: Statement
  /**
   * Statements that read each run, or each part of a run, once: of rows `t` of the rollup by tenant or task, and of events `e`,
   * which `joined` joins with others. Both are given the rest of a FROM clause.
   */
  readonly parts: (
    of: 'runs' | 'parts',
    ofSums: (rows: Statement) => Statement,
    ofEvents: (events: Statement) => Statement,
    joined?: Statement,
  ) => Statement[]
  /** The rests of FROM clauses of which some have the first and the last event `e`. */
  readonly outermost: () => Statement[]
}

/** Of a name with fewer runs in the last eighth of the hours, runs are read one by one: as many as sums of a week have rows. */
const MANY_RUNS = 250
const LAST_PART = 8

/**
 * Returns how the runs are read. Whole `hours` are summed if the filter names one tenant or task; not summed are hours with events that wait for it or that were
 * removed in part, those before sums are kept, and all hours of a name with few runs or without sums of its own.
 */
export function matchingRuns(
  { releaseId, environment }: { readonly releaseId: string; readonly environment: string },
  filters: Filters,
  window: Window,
  hours: Range | undefined,
): MatchingRuns {
  const { tenant_id, task_id } = filters
  const scope = scopeCte(releaseId, environment)
  if ((tenant_id === null) === (task_id === null) || hours === undefined || hours.from >= hours.to) {
    const events = (joined?: Statement): Statement => matchingEvents(window, filters, joined)
    return {
      ctes: scope,
      parts: (_of, _ofSums, ofEvents, joined) => [ofEvents(events(joined))],
      outermost: () => [events()],
    }
  }
  const kind = tenant_id === null ? 'task' : 'tenant'
  const hour = raw(String(HOUR_MS))
  const inHours = sql`bucket >= ${hours.from} AND bucket < ${hours.to}`
  const agent = sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`
  const middle = { since: hours.from * HOUR_MS, until: hours.to * HOUR_MS }
  const last = { ...middle, since: middle.until - Math.ceil((hours.to - hours.from) / LAST_PART) * HOUR_MS }
  const matched = sql`SELECT 1 FROM ${matchingEvents(last, filters)} LIMIT ${raw(String(MANY_RUNS))}`
  const sums = (of: 'runs' | 'parts'): Statement =>
    sql`summed_hours h CROSS JOIN ${raw(of === 'runs' ? `rollup_${kind}_hours` : `rollup_part_${kind}_hours`)} t
      WHERE t.${IN_SCOPE} AND t.bucket = h.bucket AND t.segment = (SELECT id FROM named)`
  const notSummed = raw('bucket NOT IN (SELECT bucket FROM summed_hours)')
  const ctes = sql`${scope}, named AS MATERIALIZED (
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
      SELECT since, until FROM (
        SELECT coalesce(min(bucket) * ${hour}, 0) AS since, coalesce((max(bucket) + 1) * ${hour}, 0) AS until
        FROM rollup_hours WHERE EXISTS (SELECT 1 FROM named) AND ${IN_SCOPE} AND ${inHours} AND ${notSummed}
      ) AS found WHERE EXISTS (SELECT 1 FROM named)
      UNION ALL SELECT CAST(${middle.since} AS BIGINT), CAST(${middle.until} AS BIGINT)
      WHERE NOT EXISTS (SELECT 1 FROM named)
    ), summed_ends AS MATERIALIZED (
      SELECT coalesce(min(t.bucket), 0) AS first, coalesce(max(t.bucket), 0) AS last FROM ${sums('runs')})`
  // The longest one first: nearly all events are of it where nothing is summed.
  const spans: readonly Span[] = [
    { since: raw('(SELECT since FROM unsummed)'), until: raw('(SELECT until FROM unsummed)') },
    ...aroundHours(window, hours).map(spanOf),
  ]
  const otherHours = sql`SELECT DISTINCT bucket FROM rollup_hours
    WHERE ${IN_SCOPE} AND ${hoursOf(window)} AND ${notSummed}`
  const others = (joined?: Statement): Statement =>
    sql`${foundEvents(spans, otherHours, { ...filters }, joined)}
      AND +e.ts / ${hour} NOT IN (SELECT bucket FROM summed_hours)`
  return {
    ctes,
    parts: (of, ofSums, ofEvents, joined) => [ofSums(sums(of)), ofEvents(others(joined))],
    outermost: () => [others(), inEndHours(filters)],
  }
}

/** The events of the first and of the last hour that is summed and has runs. */
function inEndHours(filters: Filters): Statement {
  const hour = raw(String(HOUR_MS))
  const ends: readonly Span[] = ['first', 'last'].map(end => ({
    since: sql`(SELECT ${raw(end)} * ${hour} FROM summed_ends)`,
    until: sql`(SELECT (${raw(end)} + 1) * ${hour} FROM summed_ends)`,
  }))
  const buckets = raw('SELECT first AS bucket FROM summed_ends UNION SELECT last FROM summed_ends')
  return foundEvents(ends, buckets, { ...filters })
}

/** The parts of a window before and behind some of its whole hours, as far as there are any. */
export function aroundHours({ since, until }: Window, { from, to }: Range): Window[] {
  return [
    { since, until: from * HOUR_MS },
    { since: to * HOUR_MS, until },
  ].filter(part => part.since < part.until)
}
