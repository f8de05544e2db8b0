import type { RunsPage } from '../../models/answers/runs.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import { type Window, minuteSegmentsOf } from '../../rules/window.ts'
import { either } from '../../sql/dialect.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Statement, join, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, field, mapped, onlyRow, together } from '../../sql/query.ts'
import { readWindowQuery } from '../world/query.ts'
import type { Ledger } from '../world/ledger.ts'
import { knownRelease, releaseQuery } from '../registry/release_facts.ts'
import { gapQuery, gapWarning } from './gaps.ts'
import { TEXT_COLUMNS, textOf, textParts } from './event_texts.ts'
import { foundEvents, hoursWithEvents, spanOf } from './matching.ts'
import { IN_SCOPE, countBetween, scopeCte } from './rollups.ts'

/** Exact filters of the forensics routes; null matches everything. */
interface RunFilters {
  readonly tenant_id: string | null
  readonly task_id: string | null
  readonly trace_id: string | null
  readonly session_id: string | null
  readonly span_id: string | null
}

/** Filters on how runs went; each is left out where it matches everything. */
type HowFilters = Pick<RunsPage['filters'], 'outcome' | 'error_type' | 'min_latency_ms'>

export interface RunsQuery extends RunFilters {
  readonly outcome?: HowFilters['outcome'] | undefined
  readonly error_type?: string | undefined
  readonly min_latency_ms?: number | undefined
  readonly release_id: string
  readonly window: string
  readonly until?: string | null | undefined
  readonly environment: string | null
  readonly offset: number
  readonly limit: number
}

/** A page as it is answered, its events apart: the JSON text of each, newest first. */
export interface StoredPage {
  readonly page: Omit<RunsPage, 'events'>
  readonly events: readonly string[]
}

/** A page of a release's events, newest first by (timestamp, order of arrival), with the exact total. */
export async function listRuns(ledger: Ledger, query: RunsQuery): Promise<StoredPage> {
  const { release_id, offset, limit, tenant_id, task_id, trace_id, session_id, span_id } = query
  const { environment, window, refuseWindow } = readWindowQuery(ledger, query)
  const filters = { tenant_id, task_id, trace_id, session_id, span_id }
  const how = howOf(query)
  const areAll = !isFiltered(filters, how)
  const read = (slice: Window, areCounted: boolean) =>
    ask(
      keepingPlans(ledger.sql),
      together({
        release: releaseQuery(release_id),
        gap: gapQuery(release_id, environment, window),
        ...pageQueries({
          release_id,
          environment,
          slice,
          filters,
          how,
          areCounted,
          offset,
          limit,
        }),
      }),
    )
  let { release, gap, total, found } = await read(window, areAll)
  knownRelease(release, release_id)
  refuseWindow()
  if (gap !== undefined && areAll) {
    // Rollups count what is gone as well: what is left is counted itself, or begins behind it.
    const slice = gap.hasEarlier ? window : { ...window, since: Math.min(gap.wholeFrom, window.until) }
    ;({ release, gap, total, found } = await read(slice, !gap.hasEarlier))
  }
  const events = firstTexts(found)
  const matched = total
  const page = {
    release_id,
    since: isoTime(window.since),
    until: isoTime(window.until),
    filters: { environment, ...filters, ...how },
    offset,
    limit,
    matched_total: matched,
    returned: events.length,
    truncated: offset + events.length < matched,
    ...(gap === undefined ? {} : { warnings: [gapWarning(gap, 'this list may lack them')] }),
  }
  return { page, events }
}

/** Those that are set. */
function howOf({ outcome, error_type, min_latency_ms }: RunsQuery): HowFilters {
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(error_type === undefined ? {} : { error_type }),
    ...(min_latency_ms === undefined ? {} : { min_latency_ms }),
  }
}

/** What they ask of events `e`, behind the other conditions. The text of an event is read only where it failed. */
function howConditions({ outcome, error_type, min_latency_ms }: HowFilters): Statement {
  const isFailed = outcome === 'failed' || error_type !== undefined
  return join(
    [
      ...(outcome === 'success' ? [sql`AND e.success = 1`] : []),
      ...(isFailed ? [sql`AND e.success = 0`] : []),
      ...(min_latency_ms === undefined ? [] : [sql`AND e.latency_ms >= ${min_latency_ms}`]),
      ...(error_type === undefined
        ? []
        : [sql`AND CASE WHEN e.success = 0 THEN ${textParts('e').errorType} END = ${error_type}`]),
      sql``,
    ],
    ' ',
  )
}

function isFiltered(filters: RunFilters, how: HowFilters): boolean {
  return Object.values(filters).some(value => value !== null) || Object.keys(how).length > 0
}

interface PageInput {
  readonly release_id: string
  readonly environment: string
  readonly slice: Window
  readonly filters: RunFilters
  readonly how: HowFilters
  /** Whether rollups count all that matches, and nothing else. */
  readonly areCounted: boolean
  readonly offset: number
  readonly limit: number
}

/** The number of matching events, and a page of them. */
function pageQueries(input: PageInput) {
  const { release_id, environment, slice, filters, how, areCounted } = input
  const scope = scopeCte(release_id, environment)
  const counts = isFiltered(filters, how)
    ? matchesByHour(slice, filters, how)
    : areCounted
      ? countsByHour(slice)
      : rowsByHour(slice)
  const total = sql`WITH ${scope}, parts AS (${counts}) SELECT coalesce(sum(n), 0) AS total FROM parts`
  return {
    total: onlyRow(total, field('total', asNumber)),
    found: mapped(
      allRows(pageStatement({ ...input, scope, counts }), row => ({
        ...readPlace(row),
        text: textOf(row, { release_id, environment }),
      })),
      // The database would sort the rows with all their columns.
      rows => rows.sort((a, b) => b.ts - a.ts || b.seq - a.seq).map(({ text }) => text),
    ),
  }
}

const readPlace = columns({ ts: asNumber, seq: asNumber })

/** The same where rollups count more than is there. */
function rowsByHour({ since, until }: Window): Statement {
  return sql`SELECT ts / 3600000 AS hour, count(*) AS n FROM run_events
    WHERE ${IN_SCOPE} AND ts >= ${Math.max(0, since)} AND ts < ${until} GROUP BY ts / 3600000`
}

/** Events that match, per hour of the window: rows (hour, n). */
function matchesByHour(window: Window, filters: RunFilters, how: HowFilters): Statement {
  const since = Math.max(0, window.since)
  const span = spanOf({ since, until: Math.max(since, window.until) })
  return sql`SELECT e.ts / 3600000 AS hour, count(*) AS n
    FROM ${foundEvents([span], hoursWithEvents(window), { ...filters })} ${howConditions(how)}
    GROUP BY e.ts / 3600000`
}

/** All events per hour of the window: whole hours come from rollups. */
function countsByHour(window: Window): Statement {
  const since = Math.max(0, window.since)
  const until = Math.max(since, window.until)
  const [firstHour, lastHour] = [Math.ceil(since / HOUR_MS), Math.floor(until / HOUR_MS)]
  const ragged =
    firstHour > lastHour
      ? raggedHour(since, until)
      : sql`${raggedHour(since, firstHour * HOUR_MS)} UNION ALL ${raggedHour(lastHour * HOUR_MS, until)}`
  return sql`SELECT bucket AS hour, sum(runs) AS n FROM rollup_hours
    WHERE ${IN_SCOPE} AND bucket >= ${firstHour} AND bucket < ${lastHour} GROUP BY bucket
    UNION ALL ${ragged}`
}

/** Part of one hour: minutes from rollups, and what is at the edges counted. */
function raggedHour(since: number, until: number): Statement {
  const { minutes, edge, beyond } = minuteSegmentsOf({ since, until })
  return sql`SELECT CAST(${Math.floor(since / HOUR_MS)} AS BIGINT) AS hour,
    ${countBetween(edge)} - ${countBetween(beyond)}
    + (SELECT coalesce(sum(runs), 0) FROM rollup_minutes
        WHERE ${IN_SCOPE} AND bucket >= ${minutes.from} AND bucket < ${minutes.to}) AS n`
}

/**
 * The events of a page, in any order. Seeks the hours that the page touches by cumulative counts, newest first, and in the first and the last of them the
 * minutes, and reads only those; so the offset costs no reading of what it skips but within one minute. With a filter,
 * whose matches no rollup counts, within one hour.
 */
function pageStatement(
  input: PageInput & { readonly scope: Statement; readonly counts: Statement },
): Statement {
  const { scope, counts, slice, filters, how, areCounted, offset, limit } = input
  const from = Math.max(0, slice.since)
  const bounds = raw(areCounted ? 'narrowed' : 'touched')
  const [lower, upper] = [sql`(SELECT lower_ts FROM ${bounds})`, sql`(SELECT upper_ts FROM ${bounds})`]
  // One lower and one upper bound: of two, SQLite would take either for the index.
  const source = isFiltered(filters, how)
    ? sql`${foundEvents([{ since: lower, until: upper }], TOUCHED_HOURS, { ...filters })} ${howConditions(how)}`
    : sql`run_events e WHERE e.${IN_SCOPE} AND e.ts >= ${lower} AND e.ts < ${upper}`
  const skipped = sql`CAST(${offset} AS BIGINT) - CAST(coalesce((SELECT before FROM ${bounds}), 0) AS BIGINT)`
  return sql`WITH ${scope}, parts AS (${counts}),
    running AS (
      SELECT hour, n, sum(n) OVER (ORDER BY hour DESC) - n AS before FROM parts WHERE n > 0
    ),
    touched AS (
      SELECT first_hour, last_hour, before,
        CASE WHEN first_hour * 3600000 > ${from} THEN first_hour * 3600000 ELSE ${from} END AS lower_ts,
        CASE WHEN (last_hour + 1) * 3600000 < ${slice.until}
          THEN (last_hour + 1) * 3600000 ELSE ${slice.until} END AS upper_ts
      FROM (
        SELECT min(hour) AS first_hour, max(hour) AS last_hour, min(before) AS before
        FROM running WHERE before < ${offset + limit} AND before + n > ${offset}
      ) AS hours WHERE first_hour IS NOT NULL
    ),
    ${areCounted ? narrowedToMinutes(slice, offset, limit) : sql``}
    ${either(plainPage(source, skipped, limit), () => numberedPage(source, skipped, offset, limit))},
    sized AS (
      SELECT seq, bytes, sum(bytes) OVER (ORDER BY ts DESC, seq DESC ROWS UNBOUNDED PRECEDING) AS total FROM page
    )
    SELECT e.seq, ${TEXT_COLUMNS} FROM page p CROSS JOIN run_events e CROSS JOIN variants v
    WHERE e.seq = p.seq AND v.id = e.variant AND ((SELECT sum(bytes) FROM page) <= ${MOST_PAGE_BYTES}
      OR p.seq IN (SELECT seq FROM sized WHERE total <= ${MOST_PAGE_BYTES} OR total = bytes))`
}

const TOUCHED_HOURS = sql`SELECT hour AS bucket FROM running
  WHERE hour BETWEEN (SELECT first_hour FROM touched) AND (SELECT last_hour FROM touched)`

/** What a page reads of its events before it knows which of them it has room for. */
const KEYS = raw('e.seq, e.ts, octet_length(e.event_json) AS bytes')

/** `page`: the events of a source behind the first ones. */
function plainPage(source: Statement, skipped: Statement, limit: number): Statement {
  return sql`page AS (
    SELECT ${KEYS} FROM ${source} ORDER BY e.ts DESC, e.seq DESC LIMIT ${limit} OFFSET ${skipped})`
}

/**
 * The same for PostgreSQL, which would carry the text of each skipped event along, and, where the table is distributed
 * by Citus, takes no subquery in OFFSET.
 */
function numberedPage(source: Statement, skipped: Statement, offset: number, limit: number): Statement {
  return sql`newest AS (SELECT e.ts, e.seq FROM ${source} ORDER BY e.ts DESC, e.seq DESC LIMIT ${offset + limit}),
    placed AS (SELECT seq, row_number() OVER (ORDER BY ts DESC, seq DESC) AS place FROM newest),
    page AS (
      SELECT ${KEYS} FROM placed p JOIN run_events e ON e.seq = p.seq
      WHERE p.place > ${skipped} AND p.place <= ${skipped} + ${limit}
    )`
}

/**
 * `narrowed`: from the minute in which the page ends to that in which it begins, and how many events are newer than
 * those. Of the minute of the window's start no more need be known than that no page ends below.
 */
function narrowedToMinutes(slice: Window, offset: number, limit: number): Statement {
  const { minutes, beyond } = minuteSegmentsOf(slice)
  // CROSS JOIN keeps SQLite from taking every minute of the window first.
  return sql`minutes AS (
      SELECT r.hour, r.before, t.lower_ts, t.upper_ts, m.bucket AS minute, sum(m.runs)
        - CASE WHEN m.bucket = ${minutes.to - 1} THEN ${countBetween(beyond)} ELSE 0 END AS n
      FROM touched t CROSS JOIN running r CROSS JOIN rollup_minutes m
      WHERE r.hour IN (t.first_hour, t.last_hour) AND m.${IN_SCOPE}
        AND m.bucket >= r.hour * 60 AND m.bucket < (r.hour + 1) * 60 AND m.bucket < ${minutes.to}
      GROUP BY r.hour, r.before, t.lower_ts, t.upper_ts, m.bucket
    ),
    fine AS (
      SELECT minute, n, lower_ts, upper_ts,
        sum(n) OVER (PARTITION BY hour ORDER BY minute DESC) - n + before AS before
      FROM minutes
    ),
    found AS (
      SELECT lower_ts, upper_ts, max(CASE WHEN before <= ${offset} THEN before END) AS before,
        max(CASE WHEN before + n >= ${offset + limit} THEN minute END) * 60000 AS from_ts,
        (min(CASE WHEN before <= ${offset} THEN minute END) + 1) * 60000 AS to_ts
      FROM fine GROUP BY lower_ts, upper_ts
    ),
    narrowed AS (
      SELECT before,
        CASE WHEN from_ts > lower_ts THEN from_ts ELSE lower_ts END AS lower_ts,
        CASE WHEN to_ts < upper_ts THEN to_ts ELSE upper_ts END AS upper_ts
      FROM found
    ),`
}

/** A page of large events ends early, behind one at least; the next begins where it ended. */
const MOST_PAGE_BYTES = 8_000_000

/** Of UTF-8, to a UTF-16 code unit. */
const MOST_BYTES_PER_CHAR = 3

/** What is stored of a row besides its columns is less than its text, so the statement may have given more than fits. */
function firstTexts(texts: readonly string[]): readonly string[] {
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  if (chars * MOST_BYTES_PER_CHAR <= MOST_PAGE_BYTES) return texts
  let bytes = 0
  const tooMuch = texts.findIndex((text, index) => {
    bytes += new TextEncoder().encode(text).byteLength
    return bytes > MOST_PAGE_BYTES && index > 0
  })
  return tooMuch < 0 ? texts : texts.slice(0, tooMuch)
}
