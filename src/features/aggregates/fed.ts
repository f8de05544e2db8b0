import { sha256 } from '../../base/bytes.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../../base/time.ts'
import type { Condition } from '../../ledger/assess/parts.ts'
import type { Fed, FedSide } from '../../ledger/events/fed.ts'
import { rowsAt } from '../../ledger/events/gaps.ts'
import { IN_SCOPE, scopeCte } from '../../ledger/events/rollups.ts'
import type { SideSource } from '../../rules/evidence.ts'
import type { Window } from '../../rules/window.ts'
import { STALE_RULE, type StaleSource, isStale, staleSource, staleText } from './rules_stale.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { eitherText, jsonRows } from '../../sql/dialect.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asText,
  columns,
  field,
  listed,
  mapped,
  orNull,
  rowsOfEach,
} from '../../sql/query.ts'
import { dayOf, pick } from './store.ts'

/** Days whose runs sources sum. */
export const fed: Fed = { isFed, fedBy, sourcesOf, coveredTo, namesOf }

/** Where nothing is fed the first half says so, which is looked up once in a statement and not for each event. */
function isFed(scope: Statement, ts: Statement): Statement {
  return sql`(EXISTS (SELECT 1 FROM aggregate_feeds) AND EXISTS (SELECT 1 FROM aggregate_feeds f WHERE f.scope = ${scope}
    AND f.from_day * ${raw(String(DAY_MS))} <= ${ts}))`
}

function fedBy(events: readonly (readonly [scope: number, ts: number])[]): ReturnType<Fed['fedBy']> {
  const perDay = new Map<string, [scope: number, day: number, events: number]>()
  for (const [scope, ts] of events) {
    const key = `${scope} ${dayOf(ts)}`
    const known = perDay.get(key)
    if (known === undefined) perDay.set(key, [scope, dayOf(ts), 1])
    else known[2]++
  }
  const from = jsonRows([...perDay.values()])
  return allRows(
    sql`SELECT source, CAST(sum(events) AS BIGINT) AS events FROM (
        SELECT (SELECT min(f.source) FROM aggregate_feeds f WHERE f.scope = ${pick(0)} AND f.from_day <= ${pick(1)}) AS source,
          ${pick(2)} AS events FROM ${from}) AS days
      WHERE source IS NOT NULL GROUP BY source ORDER BY source`,
    columns({ source: asText, events: asNumber }),
  )
}

function namesOf(environment: string, releaseIds: readonly string[]): Query<readonly string[]> {
  return allRows(
    sql`SELECT DISTINCT f.source FROM aggregate_feeds f JOIN scopes p ON p.id = f.scope
      WHERE ${areOf(environment, releaseIds)} ORDER BY f.source`,
    field('source', asText),
  )
}

/** Whether a scope `p` is that of one of these releases. */
function areOf(environment: string, releaseIds: readonly string[]): Statement {
  return sql`p.environment = ${environment} AND p.release_id IN (${listed(releaseIds)})`
}

/**
 * Up to when a source is complete without a hole, of the hours of a window that it has; from where it has any on. Null
 * where it has none of them. `s` is the source.
 */
function coveredStatement(from: Statement, to: Statement): Statement {
  return sql`(SELECT min(h.covered_to) FROM aggregate_hours h
    WHERE h.source = s.source AND h.hour >= ${from} AND h.hour < ${to} AND (
      h.covered_to < (h.hour + 1) * ${raw(String(HOUR_MS))}
      OR h.hour = ${to} - 1
      OR NOT EXISTS (SELECT 1 FROM aggregate_hours n WHERE n.source = h.source AND n.hour = h.hour + 1)))`
}

const COVERED = { covered_to: orNull(asNumber), last: orNull(asNumber) }

/** Up to when a source `s` is complete in the hours of a window, and at all. */
function coverage(window: Window): Statement {
  const [from, to] = hoursOf(window)
  return sql`${coveredStatement(sql`${from}`, sql`${to}`)} AS covered_to,
    (SELECT max(h.covered_to) FROM aggregate_hours h WHERE h.source = s.source) AS last`
}

/** The hours since the epoch that a window touches. */
function hoursOf({ since, until }: Window): readonly [from: number, to: number] {
  return [Math.floor(Math.max(0, since) / HOUR_MS), Math.ceil(until / HOUR_MS)]
}

function coveredTo(environment: string, releaseIds: readonly string[], window: Window): Query<number> {
  const [, to] = hoursOf(window)
  const feeds = sql`SELECT ${coverage(window)} FROM aggregate_feeds f JOIN scopes p ON p.id = f.scope
    JOIN aggregate_sources s ON s.source = f.source WHERE ${areOf(environment, releaseIds)} AND f.from_day * 24 < ${to}`
  return mapped(allRows(feeds, columns(COVERED)), all => completeTo(all, window))
}

const FEED = columns({
  source: asText,
  engine: asText,
  query_sha256: asText,
  run_url: orNull(asText),
  ...COVERED,
})
const AGGREGATES = columns({
  aggregates: asNumber,
  runs: asNumber,
  oldest: asNumber,
  newest: asNumber,
  imports: asNumber,
  digests: asJson<[hour: number, digest: string][]>,
})

/** The hours of a source with their digests. Not every SQLite can order what it aggregates. */
const DIGESTS = eitherText(
  'json_group_array(json_array(c.hour, c.digest))',
  'CAST(json_agg(json_build_array(c.hour, c.digest)) AS TEXT)',
)

function sourcesOf(releaseIds: readonly string[], environment: string, window: Window): Query<FedSide[]> {
  const [from, to] = hoursOf(window)
  const feeds = (id: string): Statement => sql`WITH ${scopeCte(id, environment)}
    SELECT s.source, s.engine, s.query_sha256, s.run_url, ${coverage(window)}, a.aggregates, a.runs, a.oldest, a.newest, a.imports, a.digests
    FROM aggregate_feeds f JOIN aggregate_sources s ON s.source = f.source
    LEFT JOIN (
      SELECT c.source, CAST(sum(c.aggregates) AS BIGINT) AS aggregates, CAST(sum(c.runs) AS BIGINT) AS runs, min(h.as_of) AS oldest,
        max(h.as_of) AS newest, count(DISTINCT h.import_id) AS imports, ${DIGESTS} AS digests
      FROM aggregates c JOIN aggregate_hours h ON h.source = c.source AND h.hour = c.hour
      WHERE c.${IN_SCOPE} AND c.hour >= ${from} AND c.hour < ${to} GROUP BY c.source
    ) AS a ON a.source = s.source
    WHERE f.${IN_SCOPE} AND f.from_day * 24 < ${to}`
  return mapped(rowsOfEach(releaseIds, feeds, 'source', toFeed), all =>
    all.map((own, index) => fedSide(releaseIds[index]!, window, own)),
  )
}

type SourceFeed = ReturnType<typeof FEED> & { readonly aggregates: ReturnType<typeof AGGREGATES> | undefined }

function toFeed(row: Row): SourceFeed {
  return { ...FEED(row), aggregates: row.aggregates === null ? undefined : AGGREGATES(row) }
}

function fedSide(releaseId: string, window: Window, feeds: readonly SourceFeed[]): FedSide {
  return {
    coveredTo: completeTo(feeds, window),
    kept: feeds.map(({ source: by, run_url }) => ({
      by,
      url: run_url && rowsAt(run_url, releaseId, window),
    })),
    stale: feeds.flatMap(({ source, covered_to, last }) => {
      const covered = covered_to ?? last
      return isStale(covered ?? -Infinity, window) ? [staleText(staleSource(source, covered, window))] : []
    }),
    sources: () => Promise.all(feeds.map(sideSource)),
  }
}

/** Up to when all are complete. */
function completeTo(
  feeds: readonly { readonly covered_to: number | null; readonly last: number | null }[],
  window: Window,
): number {
  const times = feeds.map(
    ({ covered_to, last }) => covered_to ?? Math.min(last ?? 0, Math.max(0, window.since)),
  )
  return Math.min(Infinity, ...times)
}

async function sideSource({
  source,
  engine,
  query_sha256,
  covered_to,
  aggregates,
}: SourceFeed): Promise<SideSource> {
  const hours = (aggregates?.digests ?? []).toSorted(([a], [b]) => a - b)
  const lines = hours.map(([, digest]) => `${digest}\n`)
  return {
    source,
    engine,
    query_sha256,
    covered_until: covered_to === null ? null : isoTime(covered_to),
    oldest_as_of: aggregates === undefined ? null : isoTime(aggregates.oldest),
    newest_as_of: aggregates === undefined ? null : isoTime(aggregates.newest),
    imports: aggregates?.imports ?? 0,
    aggregates: aggregates?.aggregates ?? 0,
    runs: aggregates?.runs ?? 0,
    sha256: await sha256(lines.join('')),
  }
}

/** Sources of either release that are behind the end of a window. It concerns promotions alone. */
export const CONDITION: Condition<readonly StaleSource[]> = {
  ...STALE_RULE,
  reads: (_, { action, environment, release, baseline, window }) =>
    action === 'promote' ? staleQuery(environment, [release, baseline], window) : undefined,
  found: (_, { isFirst }, _clock, stale) =>
    isFirst || stale === undefined || stale.length === 0 ? undefined : { stale_sources: stale },
}

/** The sources of these releases that are behind. */
function staleQuery(
  environment: string,
  [one, other]: readonly [Statement, Statement],
  window: Window,
): Query<readonly StaleSource[]> {
  const [from, to] = [Math.floor(Math.max(0, window.since) / HOUR_MS), Math.ceil(window.until / HOUR_MS)]
  const statement = sql`SELECT s.source, ${coveredStatement(sql`${from}`, sql`${to}`)} AS covered_to,
      (SELECT max(h.covered_to) FROM aggregate_hours h WHERE h.source = s.source) AS last
    FROM aggregate_sources s WHERE s.source IN (
      SELECT f.source FROM aggregate_feeds f JOIN scopes p ON p.id = f.scope
      WHERE p.environment = ${environment} AND p.release_id IN (${one}, ${other}) AND f.from_day * 24 < ${to})
    ORDER BY s.source`
  const read = columns({ source: asText, covered_to: orNull(asNumber), last: orNull(asNumber) })
  return mapped(allRows(statement, read), rows =>
    rows.flatMap(({ source, covered_to, last }) => {
      const covered = covered_to ?? last
      return isStale(covered ?? -Infinity, window) ? [staleSource(source, covered, window)] : []
    }),
  )
}
