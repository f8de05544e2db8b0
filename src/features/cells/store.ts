import { DAY_HOURS, DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { JSON_OF, addCounts } from '../../ledger/events/latency_counts.ts'
import type { SumsElsewhere } from '../../ledger/events/event_sums.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { SUMS, SUM_KINDS, type SumKind } from './rules_sums.ts'

type Dialect = Sql['dialect']

/** Where sums of a kind are kept, and what is their key beside scope and bucket. */
export const TABLES = {
  runs: { minutes: 'rollup_minutes', hours: 'rollup_hours', of: 'variant' },
  parts: { minutes: 'rollup_part_minutes', hours: 'rollup_part_hours', of: 'variant' },
  scores: { minutes: 'rollup_score_minutes', hours: 'rollup_score_hours', of: 'name' },
} as const satisfies Readonly<Record<SumKind, unknown>>

/** The cells of an hour of a scope, as they are stored. */
export interface StoredCells {
  readonly scope: number
  readonly width_ms: number
  readonly cells: number
  readonly runs: number
  readonly digest: string
  /** A JSON object of rows by kind. */
  readonly sums: string
}

/** What becomes of an hour of a source. */
export interface HourChange {
  readonly hour: number
  readonly as_of: number
  readonly covered_to: number
  readonly runs: number
  readonly digest: string
  /** Cells that are new or others than before. */
  readonly put: readonly StoredCells[]
  /** Scopes whose cells change or go. */
  readonly touched: readonly number[]
}

/** Whose cells the hours of a scope are: names of all its sources. */
export type SourcesOf = ReadonlyMap<number, readonly string[]>

interface How {
  readonly sourcesOf: SourcesOf
  readonly runUrl: string | null
  readonly strataTable: SumsElsewhere['table'] | undefined
}

/** Rows of a JSON array that are arrays, the rest of a FROM clause, and their parts by place. */
export function listed(dialect: Dialect, rows: unknown) {
  const json = JSON.stringify(rows)
  const from =
    dialect === 'postgres'
      ? sql`jsonb_array_elements(CAST(CAST(${json} AS TEXT) AS JSONB)) AS g`
      : sql`json_each(${json}) AS g`
  return { from, pick: picker(dialect) }
}

type Type = 'BIGINT' | 'DOUBLE PRECISION' | 'TEXT'

function picker(dialect: Dialect): (index: number, type?: Type) => Statement {
  const value = dialect === 'postgres' ? 'g' : 'g.value'
  return (index, type = 'BIGINT') =>
    raw(type === 'TEXT' ? `(${value} ->> ${index})` : `CAST(${value} ->> ${index} AS ${type})`)
}

/** The rows of a kind of the cells `c`, called `g`: the rest of a FROM clause. */
function rowsOf(dialect: Dialect, kind: string): Statement {
  return raw(
    dialect === 'postgres'
      ? `cells c CROSS JOIN LATERAL jsonb_array_elements(CAST(c.sums AS JSONB) -> '${kind}') AS g`
      : `cells c CROSS JOIN json_each(c.sums, '$.${kind}') AS g`,
  )
}

/** Statements of a batch that make an hour what a source says, and its roll-ups what all sources say together. */
export function hourStatements(
  { dialect }: Pick<Sql, 'dialect'>,
  source: string,
  importId: string,
  change: HourChange,
  { sourcesOf, runUrl, strataTable }: How,
): Statement[] {
  const { hour, as_of, covered_to, runs, digest, put, touched } = change
  const noted = sql`INSERT INTO cell_hours (source, hour, as_of, covered_to, runs, digest, import_id)
    VALUES (${source}, ${hour}, ${as_of}, ${covered_to}, ${runs}, ${digest}, ${importId})
    ON CONFLICT (source, hour) DO UPDATE SET as_of = excluded.as_of, covered_to = excluded.covered_to,
      runs = excluded.runs, digest = excluded.digest, import_id = excluded.import_id`
  if (touched.length === 0) return [noted]
  const scopes = inScopes(dialect, touched)
  const names = [...new Set(touched.flatMap(scope => sourcesOf.get(scope) ?? []))].sort()
  return [
    noted,
    sql`DELETE FROM cells WHERE source = ${source} AND hour = ${hour} AND ${scopes}`,
    ...inPieces(put).map(rows => putStatement(dialect, source, hour, rows)),
    ...rollUpStatements(dialect, hour, touched, names, strataTable),
    ...gapStatements(dialect, Math.floor(hour / DAY_HOURS), touched, { sourcesOf, runUrl }),
  ]
}

function inScopes(dialect: Dialect, scopes: readonly number[], column = 'scope'): Statement {
  const list = listed(
    dialect,
    scopes.map(scope => [scope]),
  )
  return sql`${raw(column)} IN (SELECT ${list.pick(0)} FROM ${list.from})`
}

/** Most characters of a parameter: D1 binds 2 MB. */
const MOST_CHARS = 900_000

function inPieces(put: readonly StoredCells[]): StoredCells[][] {
  const pieces: StoredCells[][] = []
  let chars = Infinity
  for (const cells of put) {
    if (chars + cells.sums.length > MOST_CHARS) {
      pieces.push([])
      chars = 0
    }
    pieces.at(-1)!.push(cells)
    chars += cells.sums.length
  }
  return pieces
}

function putStatement(
  dialect: Dialect,
  source: string,
  hour: number,
  rows: readonly StoredCells[],
): Statement {
  const { from, pick } = listed(
    dialect,
    rows.map(each => [each.scope, each.width_ms, each.cells, each.runs, each.digest, each.sums]),
  )
  return sql`INSERT INTO cells (scope, hour, source, width_ms, cells, runs, digest, sums)
    SELECT ${pick(0)}, CAST(${hour} AS BIGINT), ${source}, ${pick(1)}, ${pick(2)}, ${pick(3)}, ${pick(4, 'TEXT')},
      ${pick(5, 'TEXT')} FROM ${from}`
}

/** Makes the roll-ups of an hour of some scopes what the cells of these sources add up to. */
export function rollUpStatements(
  dialect: Dialect,
  hour: number,
  scopes: readonly number[],
  sources: readonly string[],
  strataTable: SumsElsewhere['table'] | undefined,
): Statement[] {
  const inHour = inScopes(dialect, scopes)
  const span = (widthMs: number): Statement =>
    sql`bucket >= ${(hour * HOUR_MS) / widthMs} AND bucket < ${((hour + 1) * HOUR_MS) / widthMs}`
  const ofHour = (source: string): Statement =>
    sql`c.source = ${source} AND c.hour = ${hour} AND ${inScopes(dialect, scopes, 'c.scope')}`
  return [
    mergeDay(dialect, hour, scopes, -1),
    ...SUM_KINDS.flatMap(kind => {
      const { minutes, hours } = TABLES[kind]
      return [
        sql`DELETE FROM ${raw(minutes)} WHERE ${inHour} AND ${span(MINUTE_MS)}`,
        sql`DELETE FROM ${raw(hours)} WHERE ${inHour} AND bucket = ${hour}`,
      ]
    }),
    sql`DELETE FROM rollup_latency_10m WHERE ${inHour} AND ${span(10 * MINUTE_MS)}`,
    ...sources.flatMap(source => [
      ...SUM_KINDS.map(kind => addStatement(dialect, kind, ofHour(source))),
      addCounts(dialect, 'rollup_latency_10m', latenciesOf(dialect, ofHour(source))),
    ]),
    ...SUM_KINDS.map(kind => hourOfMinutes(kind, inHour, span(MINUTE_MS))),
    sql`INSERT INTO rollup_latency_1d (scope, bucket, counts, largest, largest_of)
      SELECT DISTINCT scope, CAST(${Math.floor(hour / DAY_HOURS)} AS BIGINT), '{}', 0, 0 FROM rollup_latency_10m
      WHERE ${inHour} AND ${span(10 * MINUTE_MS)} ON CONFLICT DO NOTHING`,
    mergeDay(dialect, hour, scopes, 1),
    ...(strataTable === undefined ? [] : strataStatements(dialect, hour, scopes, strataTable)),
    sql`DELETE FROM rollup_latency_1d WHERE ${inHour} AND bucket = ${Math.floor(hour / DAY_HOURS)} AND counts = '{}'`,
  ]
}

/** Adds the cells of one source: their keys differ, so a row is added to at most once. */
function addStatement(dialect: Dialect, kind: SumKind, ofHour: Statement): Statement {
  const [{ minutes, of }, columns, pick] = [TABLES[kind], SUMS[kind], picker(dialect)]
  const sums = columns.map(
    (column, index) => pick(index + 2, isCount(column) ? 'BIGINT' : 'DOUBLE PRECISION').text,
  )
  const key = `c.scope, ${pick(0).text}, ${pick(1, of === 'name' ? 'TEXT' : 'BIGINT').text}`
  const added = columns.map(column => `${column} = ${minutes}.${column} + excluded.${column}`)
  return sql`INSERT INTO ${raw(`${minutes} (scope, bucket, ${of}, ${columns.join(', ')})`)}
    SELECT ${raw(`${key}, ${sums.join(', ')}`)} FROM ${rowsOf(dialect, kind)} WHERE ${ofHour}
    ON CONFLICT (scope, bucket, ${raw(of)}) DO UPDATE SET ${raw(added.join(', '))}`
}

function isCount(column: string): boolean {
  return ['runs', 'errors', 'latency_count', 'parts'].includes(column)
}

function hourOfMinutes(kind: SumKind, inHour: Statement, span: Statement): Statement {
  const [{ minutes, hours, of }, columns] = [TABLES[kind], SUMS[kind]]
  return sql`INSERT INTO ${raw(`${hours} (scope, bucket, ${of}, ${columns.join(', ')})`)}
    SELECT scope, bucket / 60, ${raw([of, ...columns.map(column => `sum(${column})`)].join(', '))}
    FROM ${raw(minutes)} WHERE ${inHour} AND ${span} GROUP BY 1, 2, 3`
}

/** Sums by tenant and task count by the hour, and are dropped once no comparison takes them. */
function strataStatements(
  dialect: Dialect,
  hour: number,
  scopes: readonly number[],
  tableOf: SumsElsewhere['table'],
): Statement[] {
  const pick = picker(dialect)
  return (['tenant', 'task'] as const).flatMap(kind =>
    (['runs', 'parts'] as const).flatMap(of => {
      const [table, columns] = [raw(tableOf(kind, of)), SUMS[of]]
      const sums = columns.map((column, index) => {
        const sum = `sum(${pick(index + 3, 'DOUBLE PRECISION').text})`
        return isCount(column) ? `CAST(${sum} AS BIGINT)` : sum
      })
      return [
        sql`DELETE FROM ${table} WHERE ${inScopes(dialect, scopes)} AND bucket = ${hour}`,
        sql`INSERT INTO ${table} (${raw(['scope', 'bucket', 'stratum', 'variant', ...columns].join(', '))})
          SELECT c.scope, c.hour, ${pick(2)}, ${pick(1)}, ${raw(sums.join(', '))}
          FROM ${rowsOf(dialect, `${kind}_${of}`)}
          WHERE c.hour = ${hour} AND ${inScopes(dialect, scopes, 'c.scope')}
            AND c.hour * ${raw(String(HOUR_MS))} >= (SELECT strata_before FROM retention WHERE id = 1)
          GROUP BY 1, 2, 3, 4`,
      ]
    }),
  )
}

/** `scope, bucket, counts, largest, largest_of` of the histograms of one source. */
function latenciesOf(dialect: Dialect, ofHour: Statement): Statement {
  const pick = picker(dialect)
  const counts = raw(dialect === 'postgres' ? 'CAST(g -> 1 AS TEXT)' : 'g.value -> 1')
  return sql`SELECT c.scope, ${pick(0)}, ${counts}, ${pick(2)}, ${pick(3)}
    FROM ${rowsOf(dialect, 'latency')} WHERE ${ofHour}`
}

/**
 * Adds the ten minutes of an hour to the counts of its day, or takes them off: counts are whole, so nothing is lost. The
 * largest latency of the day is that of all its ten minutes.
 */
function mergeDay(dialect: Dialect, hour: number, scopes: readonly number[], sign: 1 | -1): Statement {
  const { object, each } = JSON_OF[dialect]
  const day = Math.floor(hour / DAY_HOURS)
  const ofDay = (from: number, to: number) =>
    `t.scope = rollup_latency_1d.scope AND t.bucket >= ${from * 6} AND t.bucket < ${to * 6}`
  const ofHour = ofDay(hour, hour + 1)
  const inDay = ofDay(day * DAY_HOURS, (day + 1) * DAY_HOURS)
  const bins =
    dialect === 'postgres'
      ? `SELECT b.bin, ${sign} * b.n AS n FROM rollup_latency_10m t CROSS JOIN LATERAL (${each('t.counts')}) AS b WHERE ${ofHour}`
      : `SELECT b.key, ${sign} * b.value FROM rollup_latency_10m t CROSS JOIN json_each(t.counts) AS b WHERE ${ofHour}`
  return sql`UPDATE rollup_latency_1d SET
      largest = coalesce((SELECT max(t.largest) FROM rollup_latency_10m t WHERE ${raw(inDay)}), 0),
      largest_of = coalesce((SELECT sum(t.largest_of) FROM rollup_latency_10m t WHERE ${raw(inDay)}), 0),
      counts = coalesce((SELECT ${raw(object)} FROM (SELECT bin, CAST(sum(n) AS BIGINT) AS n
        FROM (${raw(each('rollup_latency_1d.counts'))} UNION ALL ${raw(bins)}) AS parts
        GROUP BY bin HAVING sum(n) <> 0) AS added), '{}')
    WHERE ${inScopes(dialect, scopes)} AND bucket = ${day}`
}

/** Forgets the latencies of a day of some scopes: all of its hours are summed again. */
export function forgetLatencies(dialect: Dialect, day: number, scopes: readonly number[]): Statement[] {
  return [
    sql`DELETE FROM rollup_latency_10m
      WHERE ${inScopes(dialect, scopes)} AND bucket >= ${day * 144} AND bucket < ${(day + 1) * 144}`,
    sql`DELETE FROM rollup_latency_1d WHERE ${inScopes(dialect, scopes)} AND bucket = ${day}`,
  ]
}

/** Days with cells have no events: reads of single events say where they are, and windows end at whole buckets. */
function gapStatements(
  dialect: Dialect,
  day: number,
  scopes: readonly number[],
  { sourcesOf, runUrl }: Pick<How, 'sourcesOf' | 'runUrl'>,
): Statement[] {
  const { from, pick } = listed(
    dialect,
    scopes.map(scope => [scope, (sourcesOf.get(scope) ?? []).join(', ')]),
  )
  const ofDay = sql`c.hour >= ${day * DAY_HOURS} AND c.hour < ${(day + 1) * DAY_HOURS}`
  return [
    sql`INSERT INTO event_gaps (scope, day, done, width_ms, kept_by, run_url)
      SELECT ${pick(0)}, CAST(${day} AS BIGINT), 1, max(c.width_ms), ${pick(1, 'TEXT')}, CAST(${runUrl} AS TEXT)
      FROM ${from} JOIN cells c ON c.scope = ${pick(0)} AND ${ofDay} GROUP BY 1, 5
      ON CONFLICT (scope, day) DO UPDATE SET
        width_ms = excluded.width_ms, kept_by = excluded.kept_by, run_url = excluded.run_url`,
    sql`DELETE FROM event_gaps WHERE ${inScopes(dialect, scopes)} AND day = ${day} AND kept_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM cells c WHERE c.scope = event_gaps.scope AND ${ofDay})`,
  ]
}

/** The first statements of a batch that writes cells: it fails, as `unique`, where others wrote since `writes` were counted. */
export function writeGuard(writes: number, holds: Statement): Statement[] {
  return [
    sql`UPDATE cell_writes SET writes = writes + 1 WHERE id = 1 AND writes = ${writes}`,
    sql`INSERT INTO cell_writes (id, writes) SELECT 1, 0
      WHERE (SELECT writes FROM cell_writes WHERE id = 1) <> ${writes + 1} OR NOT ${holds}`,
  ]
}

/** Days since the epoch of a time, epoch ms. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}
