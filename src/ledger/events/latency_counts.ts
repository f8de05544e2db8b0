import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import type { TimeName } from '../../models/limits.ts'
import { FIRST_TOKEN } from '../../rules/rollup.ts'
import { LOG_GAMMA, type Sketch, ZERO_BIN } from '../../rules/statistics/bins.ts'
import { type SignedRange, type Window, edgesOf } from '../../rules/window.ts'
import { eitherText } from '../../sql/dialect.ts'
import { type Sql, type Statement, forPostgres, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  ask,
  columns,
  field,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { matchingEvents } from './matching.ts'
import { type Filters, IN_SCOPE, isFiltered, scopeCte } from './rollups.ts'

/** Rollups of how many runs took how long, by the time that is counted, and the width of their buckets, ms. */
export const BIN_TABLES = {
  latency: [
    ['rollup_latency_10m', 10 * MINUTE_MS],
    ['rollup_latency_1d', DAY_MS],
  ],
  ttft: [
    ['rollup_ttft_10m', 10 * MINUTE_MS],
    ['rollup_ttft_1d', DAY_MS],
  ],
} as const satisfies Record<TimeName, unknown>
type BinTable = (typeof BIN_TABLES)[TimeName][number][0]

/** Times to first token of rows of `run_scores`, a FROM clause's rest, where {@link binSelect} expects latencies. */
export function firstTokensOf(scores: Statement): Statement {
  return sql`(SELECT scope, ts, score AS latency_ms FROM ${scores} AND name = ${FIRST_TOKEN}) AS first_tokens WHERE true`
}

/** The bin of a latency, as `binOf` has it. No integer is so near the edge of a bin that a last bit would matter. */
const BIN = `CASE WHEN latency_ms > 0
  THEN CAST(ceil(ln(CAST(latency_ms AS DOUBLE PRECISION)) / ${LOG_GAMMA}) AS BIGINT) ELSE ${ZERO_BIN} END`

/** A JSON object of counts by bin, of rows. */
export const COUNTS_OBJECT = eitherText(
  'json_group_object(CAST(bin AS TEXT), n)',
  'CAST(json_object_agg(bin, n) AS TEXT)',
)

/** The rows of such an object in a column. */
export function eachCount(column: string): Statement {
  return eitherText(
    `SELECT key AS bin, value AS n FROM json_each(${column})`,
    `SELECT key AS bin, CAST(value AS BIGINT) AS n FROM json_each_text(CAST(${column} AS JSON))`,
  )
}

/** `scope, bucket, counts, largest, largest_of` of the events that `source`, a FROM clause's rest, names. */
export function latencySelect(widthMs: number, source: Statement): Statement {
  return objects(binSelect(widthMs, source))
}

/** `scope, bucket, bin`, how many, `n`, and the `largest` latency of the events that `source` names. */
export function binSelect(widthMs: number, source: Statement): Statement {
  return sql`SELECT scope, ts / ${raw(String(widthMs))} AS bucket, ${raw(BIN)} AS bin, count(*) AS n, max(latency_ms) AS largest
    FROM ${source} ${raw(/\bWHERE\b/.test(source.text) ? 'AND' : 'WHERE')} latency_ms IS NOT NULL GROUP BY 1, 2, 3`
}

/** On PostgreSQL, more of a WITH clause that counts the rows that `source` names, in the order of their keys. */
export function binClauses(time: TimeName, source: Statement): Statement {
  const [[fine, fineMs], [coarse, coarseMs]] = BIN_TABLES[time]
  const bins = `${time}_bins`
  const wider = `SELECT scope, bucket / ${coarseMs / fineMs} AS bucket, bin, sum(n) AS n, max(largest) AS largest
    FROM ${bins} GROUP BY 1, 2, 3`
  const counts = (rows: string) => sql`${objects(raw(rows))} ORDER BY 1, 2`
  return forPostgres(sql`, ${raw(bins)} AS (${binSelect(fineMs, source)}),
    ${raw(`fine_${time}`)} AS (${addCounts(fine, counts(`SELECT * FROM ${bins}`))}),
    ${raw(`coarse_${time}`)} AS (${addCounts(coarse, counts(wider))})`)
}

function objects(bins: Statement): Statement {
  return sql`SELECT scope, bucket, ${COUNTS_OBJECT} AS counts, max(largest) AS largest, CAST(sum(n) AS BIGINT) AS largest_of
    FROM (${bins}) AS binned GROUP BY scope, bucket`
}

/**
 * Adds counts, as {@link latencySelect} has them, to those that are stored. `largest_of` says of how many runs `largest`
 * is the largest latency: a server of an older version adds counts alone.
 */
export function addCounts(table: BinTable, counts: Statement): Statement {
  return sql`INSERT INTO ${raw(table)} (scope, bucket, counts, largest, largest_of) ${counts}
    ON CONFLICT (scope, bucket) DO UPDATE SET
      largest = CASE WHEN excluded.largest > ${raw(table)}.largest THEN excluded.largest ELSE ${raw(table)}.largest END,
      largest_of = ${raw(table)}.largest_of + excluded.largest_of, counts = (
      SELECT ${COUNTS_OBJECT} FROM (
        SELECT bin, sum(n) AS n
        FROM (${eachCount(`${table}.counts`)} UNION ALL ${eachCount('excluded.counts')}) AS parts
        GROUP BY bin) AS added)`
}

/** The latencies of a release's events in a window, or their times to first token; see {@link toSketch}. */
export function sketchQuery(
  time: TimeName,
  releaseId: string,
  environment: string,
  window: Window,
  filters: Filters,
): Query<Sketch> {
  const parts = isFiltered(filters)
    ? rawPart(timedEvents(time, window, filters), 1)
    : join(unfilteredParts(time, window), ' UNION ALL ')
  return mapped(allRows(sql`WITH ${scopeCte(releaseId, environment)} ${parts}`, readCounted), toSketch)
}

/** Counts by bin, as a rollup keeps them. */
export type Counts = Readonly<Record<string, number>>

const readCounted = columns({
  counts: orNull(asJson<Counts>),
  bin: asNumber,
  n: asNumber,
  largest: orNull(asNumber),
  largest_of: orNull(asNumber),
})

/** Buckets of ten minutes, each with its number since the epoch and its counts. */
export type Buckets = readonly (readonly [bucket: number, counts: Counts])[]

/** The rows that \`counted\`, a FROM clause's rest, names, newest first. One text has those of a day: a week has 1,008 rows. */
function bucketRows(scope: Statement, counted: Statement): Query<Buckets> {
  const day = raw(String(DAY_MS / (10 * MINUTE_MS)))
  const texts = sql`${scope} SELECT '[' || string_agg('[' || bucket || ',' || counts || ']', ',') || ']' AS buckets
    FROM ${counted} GROUP BY bucket / ${day}`
  const days = allRows(texts, field('buckets', asJson<Buckets>))
  return mapped(days, read => read.flat().toSorted(([a], [b]) => b - a))
}

/** The counts of the whole buckets of a time, which both ends may cut: the newest `most`. */
export function bucketsQuery(
  time: TimeName,
  releaseId: string,
  environment: string,
  { from, to }: { readonly from: number; readonly to: number },
  filters: Filters,
  most = Infinity,
): Query<Buckets> {
  const [[table, widthMs]] = BIN_TABLES[time]
  const newest = raw(`ORDER BY bucket DESC ${most === Infinity ? '' : `LIMIT ${most}`}`)
  const [first, end] = [Math.ceil(from / widthMs), Math.floor(to / widthMs)]
  const scope = sql`WITH ${scopeCte(releaseId, environment)}`
  if (!isFiltered(filters)) {
    const kept = sql`SELECT bucket, counts FROM ${raw(table)}
      WHERE ${IN_SCOPE} AND bucket >= ${first} AND bucket < ${end} ${newest}`
    return bucketRows(scope, sql`(${kept}) AS kept`)
  }
  const window = { since: first * widthMs, until: end * widthMs }
  const matching = latencySelect(widthMs, timedEvents(time, window, filters))
  return bucketRows(scope, sql`(SELECT bucket, counts FROM (${matching}) AS matched ${newest}) AS newest`)
}

/** Joins events `e` with their times to first token, `r.score`. */
export const FIRST_TOKEN_OF_EVENT = sql`JOIN run_scores r ON r.event = e.seq AND r.name = ${FIRST_TOKEN}`

/** The events that match, by the time that is counted, as {@link binSelect} expects them. */
function timedEvents(time: TimeName, window: Window, filters: Filters): Statement {
  if (time === 'latency') return matchingEvents(window, filters)
  return sql`(SELECT e.scope, e.ts, r.score AS latency_ms
    FROM ${matchingEvents(window, filters, FIRST_TOKEN_OF_EVENT)}) AS timed WHERE true`
}

/** Whole days, and at the edges ten minutes and raw rows, added or taken off: whichever is less to read. */
function unfilteredParts(time: TimeName, window: Window): Statement[] {
  const [[fine, fineMs], [coarse, coarseMs]] = BIN_TABLES[time]
  const rows = (from: number, to: number): Statement => {
    const within = sql`${IN_SCOPE} AND ts >= ${from} AND ts < ${to}`
    return time === 'latency'
      ? sql`run_events WHERE ${within}`
      : firstTokensOf(sql`run_scores WHERE ${within}`)
  }
  const { whole, parts, edges } = edgesOf(window, coarseMs, fineMs)
  return [
    countedPart(coarse, { sign: 1, ...whole }),
    ...parts.map(part => countedPart(fine, part)),
    ...edges.map(({ sign, from, to }) => rawPart(rows(from, to), sign)),
  ]
}

function countedPart(table: BinTable, { from, to, sign }: SignedRange): Statement {
  return sql`SELECT counts, 0 AS bin, CAST(${sign} AS BIGINT) AS n, largest, largest_of FROM ${raw(table)}
    WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

function rawPart(rows: Statement, sign: number): Statement {
  return sql`SELECT CAST(NULL AS TEXT) AS counts, ${raw(BIN)} AS bin, ${raw(String(sign))} * count(*) AS n,
      max(latency_ms) AS largest, count(*) AS largest_of
    FROM ${rows} AND latency_ms IS NOT NULL GROUP BY 2`
}

/**
 * The sketch of a window. Its `largest` latency is that of all parts that were added, so at least that of the window;
 * null where a part doesn't know its own.
 */
function toSketch(rows: readonly ReturnType<typeof readCounted>[]): Sketch {
  const counts = new Map<number, number>()
  let largest: number | null = 0
  for (const { counts: kept, bin, n, ...row } of rows) {
    const own = kept ?? { [bin]: Math.abs(n) }
    const sign = Math.sign(n)
    for (const [name, count] of Object.entries(own)) {
      counts.set(Number(name), (counts.get(Number(name)) ?? 0) + sign * count)
    }
    if (sign < 0) continue
    if (row.largest_of !== totalOf(own)) largest = null
    else if (largest !== null) largest = Math.max(largest, row.largest ?? 0)
  }
  return { counts, largest }
}

/**
 * From when on all latencies of a release in a window are in the counts, epoch ms: those that were stored before there
 * were any are not, until the rollups are rebuilt.
 */
export async function latenciesKnownSince(
  db: Sql,
  releaseId: string,
  environment: string,
  { since, until }: Window,
): Promise<number> {
  const [fine, fineMs] = BIN_TABLES.latency[0]
  const [first, last] = [Math.floor(Math.max(0, since) / fineMs), Math.ceil(until / fineMs)]
  const minutes = fineMs / MINUTE_MS
  const { carried, counted } = await ask(
    db,
    together({
      carried: allRows(
        sql`WITH ${scopeCte(releaseId, environment)}
          SELECT bucket / ${raw(String(minutes))} AS slot, sum(latency_count) AS n FROM rollup_minutes
          WHERE ${IN_SCOPE} AND bucket >= ${first * minutes} AND bucket < ${last * minutes}
          GROUP BY bucket / ${raw(String(minutes))}`,
        columns({ slot: asNumber, n: asNumber }),
      ),
      counted: bucketRows(
        sql`WITH ${scopeCte(releaseId, environment)}`,
        sql`${raw(fine)} WHERE ${IN_SCOPE} AND bucket >= ${first} AND bucket < ${last}`,
      ),
    }),
  )
  const known = new Map(counted.map(([bucket, counts]) => [bucket, totalOf(counts)]))
  const lacking = carried.filter(({ slot, n }) => (known.get(slot) ?? 0) !== n)
  return lacking.reduce((latest, { slot }) => Math.max(latest, (slot + 1) * fineMs), since)
}

function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
