import { DAY_HOURS, DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { SumsElsewhere } from '../../ledger/events/event_sums.ts'
import { COUNTS_OBJECT, eachCount, addCounts } from '../../ledger/events/latency_counts.ts'
import { reviseAgents } from '../../ledger/trail/chain.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { columnRows, either, eitherText, jsonRows } from '../../sql/dialect.ts'
import { asNumber, ask, field, onlyRow, removeAll } from '../../sql/query.ts'
import type { Removal } from '../feature.ts'
import { SUMS, SUM_KINDS, type SumKind } from './rules_sums.ts'

/** Where sums of a kind are kept, and what is their key in addition to scope and bucket. */
export const TABLES = {
  runs: { minutes: 'rollup_minutes', hours: 'rollup_hours', of: 'variant' },
  parts: { minutes: 'rollup_part_minutes', hours: 'rollup_part_hours', of: 'variant' },
  scores: { minutes: 'rollup_score_minutes', hours: 'rollup_score_hours', of: 'name' },
} as const satisfies Readonly<Record<SumKind, unknown>>

/** Columns of aggregates that hold rows as JSON; null where there are none. */
export const SUM_COLUMNS = [
  'runs',
  'parts',
  'scores',
  'latency',
  'tenant_runs',
  'tenant_parts',
  'task_runs',
  'task_parts',
] as const
export type SumColumn = (typeof SUM_COLUMNS)[number]
const COLUMN_LIST = raw(SUM_COLUMNS.map(name => `${name}_json`).join(', '))

/** The aggregates of an hour of a scope, as they are stored. */
export interface StoredAggregates {
  readonly scope: number
  readonly width_ms: number
  readonly aggregates: number
  readonly runs: number
  readonly digest: string
  readonly sums: Readonly<Record<SumColumn, string | null>>
  readonly chars: number
}

/** What becomes of an hour of a source. */
export interface HourChange {
  readonly hour: number
  readonly as_of: number
  readonly covered_to: number
  readonly runs: number
  readonly digest: string
  /** Aggregates that are new or others than before. */
  readonly put: readonly StoredAggregates[]
  /** Scopes whose aggregates change or go. */
  readonly touched: readonly number[]
}

/** An hour of a scope. */
export type ScopeHour = readonly [scope: number, hour: number]

export interface Writing {
  readonly source: string
  readonly importId: string
  readonly runUrl: string | null
  /** Whose aggregates the hours of a scope are: names of all its sources. */
  readonly sourcesOf: ReadonlyMap<number, readonly string[]>
  readonly elsewhere: SumsElsewhere | undefined
}

type Type = 'BIGINT' | 'DOUBLE PRECISION' | 'TEXT'

/** A part of a row `g`. */
export function pick(index: number, type: Type = 'BIGINT'): Statement {
  return raw(type === 'TEXT' ? `(g.value ->> ${index})` : `CAST(g.value ->> ${index} AS ${type})`)
}

/**
 * A WITH clause: `g` are the rows of a column of the aggregates `c` that `where` names. Materialized, because json_each writes
 * the text of a row again at each mention of it.
 */
function rowsOf(column: SumColumn, where: Statement): Statement {
  const rows = columnRows(raw(`c.${column}_json`), 'e')
  return sql`WITH g AS MATERIALIZED (SELECT c.scope, c.hour, e.value FROM aggregates c CROSS JOIN ${rows}
    WHERE c.${raw(column)}_json IS NOT NULL AND ${where})`
}

/** Statements of a batch that make hours what a source says, and their rollups what all sources say together. */
export function hourStatements(
  changes: readonly HourChange[],
  { source, importId, runUrl, sourcesOf, elsewhere }: Writing,
): Statement[] {
  const hours = jsonRows(
    changes.map(each => [each.hour, each.as_of, each.covered_to, each.runs, each.digest]),
  )
  const noted = sql`INSERT INTO aggregate_hours (source, hour, as_of, covered_to, runs, digest, import_id)
    SELECT ${source}, ${pick(0)}, ${pick(1)}, ${pick(2)}, ${pick(3)}, ${pick(4, 'TEXT')}, ${importId}
    FROM ${hours} WHERE true
    ON CONFLICT (source, hour) DO UPDATE SET as_of = excluded.as_of, covered_to = excluded.covered_to,
      runs = excluded.runs, digest = excluded.digest, import_id = excluded.import_id`
  const touched = changes.flatMap(({ hour, touched: scopes }) =>
    scopes.map((scope): ScopeHour => [scope, hour]),
  )
  if (touched.length === 0) return [noted]
  const names = [...new Set(touched.flatMap(([scope]) => sourcesOf.get(scope) ?? []))].sort()
  return [
    noted,
    sql`DELETE FROM aggregates WHERE source = ${source} AND ${among(touched, 'hour')}`,
    ...inPieces(changes).map(rows => putStatement(source, rows)),
    ...rollupStatements(touched, names, elsewhere),
    ...gapStatements(touched, { sourcesOf, runUrl }),
    reviseAgents(agentsOf(touched)),
  ]
}

/** The agents whose releases the scopes are of. */
function agentsOf(hours: readonly ScopeHour[]): Statement {
  const scopes = jsonRows([...new Set(hours.map(([scope]) => scope))].map(scope => [scope]))
  return sql`SELECT DISTINCT r.agent_id FROM scopes s JOIN releases r ON r.release_id = s.release_id
    WHERE s.id IN (SELECT ${pick(0)} FROM ${scopes})`
}

/** Whether a row is of these hours, or of their days: by scope and a column or expression. */
function among(hours: readonly ScopeHour[], column: string, { scope = 'scope', per = 1 } = {}): Statement {
  const list = jsonRows(perDay(hours, per))
  return sql`(${raw(scope)}, ${raw(column)}) IN (SELECT ${pick(0)}, ${pick(1)} FROM ${list})`
}

/** Hours, or the days of them, each once. */
function perDay(hours: readonly ScopeHour[], per: number): ScopeHour[] {
  const all = new Map(
    hours.map(([scope, hour]) => [
      `${scope} ${Math.floor(hour / per)}`,
      [scope, Math.floor(hour / per)] as const,
    ]),
  )
  return [...all.values()]
}

/** The same of buckets of so many an hour; what is far off is left out by the index. */
function bucketsOf(hours: readonly ScopeHour[], perHour: number): Statement {
  const all = hours.map(([, hour]) => hour)
  const [first, end] = [Math.min(...all), Math.max(...all) + 1]
  const scopes = jsonRows([...new Set(hours.map(([scope]) => scope))].map(scope => [scope]))
  return sql`scope IN (SELECT ${pick(0)} FROM ${scopes}) AND bucket >= ${first * perHour}
    AND bucket < ${end * perHour} AND ${among(hours, `bucket / ${perHour}`)}`
}

/** Most characters of a parameter: D1 binds 2 MB. */
const MOST_CHARS = 900_000

function inPieces(
  changes: readonly HourChange[],
): (readonly [hour: number, aggregates: StoredAggregates])[][] {
  const pieces: (readonly [number, StoredAggregates])[][] = []
  let chars = Infinity
  for (const { hour, put } of changes) {
    for (const aggregates of put) {
      if (chars + aggregates.chars > MOST_CHARS) {
        pieces.push([])
        chars = 0
      }
      pieces.at(-1)!.push([hour, aggregates])
      chars += aggregates.chars
    }
  }
  return pieces
}

function putStatement(
  source: string,
  rows: readonly (readonly [hour: number, aggregates: StoredAggregates])[],
): Statement {
  const from = jsonRows(
    rows.map(([hour, { scope, width_ms, aggregates, runs, digest, sums }]) => [
      scope,
      hour,
      width_ms,
      aggregates,
      runs,
      digest,
      ...SUM_COLUMNS.map(name => sums[name]),
    ]),
  )
  const sums = raw(SUM_COLUMNS.map((_, index) => pick(index + 6, 'TEXT').text).join(', '))
  return sql`INSERT INTO aggregates (scope, hour, source, width_ms, aggregates, runs, digest, ${COLUMN_LIST})
    SELECT ${pick(0)}, ${pick(1)}, ${source}, ${pick(2)}, ${pick(3)}, ${pick(4)}, ${pick(5, 'TEXT')}, ${sums} FROM ${from}`
}

/** Makes the rollups of hours what the aggregates of these sources add up to. */
export function rollupStatements(
  hours: readonly ScopeHour[],
  sources: readonly string[],
  elsewhere: Writing['elsewhere'],
): Statement[] {
  const inHours = among(hours, 'bucket')
  const inMinutes = bucketsOf(hours, 60)
  const inTens = bucketsOf(hours, 6)
  const ofHours = among(hours, 'c.hour', { scope: 'c.scope' })
  return [
    mergeDays(hours, -1),
    ...SUM_KINDS.flatMap(kind => [
      sql`DELETE FROM ${raw(TABLES[kind].minutes)} WHERE ${inMinutes}`,
      sql`DELETE FROM ${raw(TABLES[kind].hours)} WHERE ${inHours}`,
    ]),
    sql`DELETE FROM rollup_latency_10m WHERE ${inTens}`,
    ...sources.flatMap(source => [
      ...SUM_KINDS.map(kind => addStatement(kind, sql`c.source = ${source} AND ${ofHours}`)),
      addCounts('rollup_latency_10m', latenciesOf(sql`c.source = ${source} AND ${ofHours}`)),
    ]),
    ...SUM_KINDS.map(kind => hourOfMinutes(kind, inMinutes)),
    sql`INSERT INTO rollup_latency_1d (scope, bucket, counts, largest, largest_of)
      SELECT DISTINCT scope, bucket / 144, '{}', 0, 0 FROM rollup_latency_10m WHERE ${inTens} ON CONFLICT DO NOTHING`,
    mergeDays(hours, 1),
    sql`DELETE FROM rollup_latency_1d WHERE ${among(hours, 'bucket', { per: DAY_HOURS })} AND counts = '{}'`,
    ...(elsewhere === undefined ? [] : segmentStatements(inHours, ofHours, elsewhere)),
  ]
}

/** Adds the aggregates of one source: their keys differ, so a row is added to at most once. */
function addStatement(kind: SumKind, ofHours: Statement): Statement {
  const [{ minutes, of }, columns] = [TABLES[kind], SUMS[kind]]
  const sums = columns.map(
    (column, index) => pick(index + 2, isCount(column) ? 'BIGINT' : 'DOUBLE PRECISION').text,
  )
  const key = `g.scope, ${pick(0).text}, ${pick(1, of === 'name' ? 'TEXT' : 'BIGINT').text}`
  const added = columns.map(column => `${column} = ${minutes}.${column} + excluded.${column}`)
  return sql`INSERT INTO ${raw(`${minutes} (scope, bucket, ${of}, ${columns.join(', ')})`)}
    ${rowsOf(kind, ofHours)} SELECT ${raw(`${key}, ${sums.join(', ')}`)} FROM g WHERE true
    ON CONFLICT (scope, bucket, ${raw(of)}) DO UPDATE SET ${raw(added.join(', '))}`
}

function isCount(column: string): boolean {
  return ['runs', 'errors', 'latency_count', 'parts'].includes(column)
}

function hourOfMinutes(kind: SumKind, inMinutes: Statement): Statement {
  const [{ minutes, hours, of }, columns] = [TABLES[kind], SUMS[kind]]
  return sql`INSERT INTO ${raw(`${hours} (scope, bucket, ${of}, ${columns.join(', ')})`)}
    SELECT scope, bucket / 60, ${raw([of, ...columns.map(column => `sum(${column})`)].join(', '))}
    FROM ${raw(minutes)} WHERE ${inMinutes} GROUP BY 1, 2, 3`
}

/** Sums by tenant and task count by the hour, and are dropped once no comparison takes them. */
function segmentStatements(
  inHours: Statement,
  ofHours: Statement,
  { table: tableOf, replaced }: SumsElsewhere,
): Statement[] {
  const kept = sql`${ofHours} AND c.hour * ${raw(String(HOUR_MS))} >= (SELECT segments_before FROM retention WHERE id = 1)`
  const sums = (['tenant', 'task'] as const).flatMap(kind =>
    (['runs', 'parts'] as const).flatMap(of => {
      const [table, columns] = [raw(tableOf(kind, of)), SUMS[of]]
      const values = columns.map((column, index) => {
        const sum = `sum(${pick(index + 3, 'DOUBLE PRECISION').text})`
        return isCount(column) ? `CAST(${sum} AS BIGINT)` : sum
      })
      return [
        sql`DELETE FROM ${table} WHERE ${inHours}`,
        sql`INSERT INTO ${table} (${raw(['scope', 'bucket', 'segment', 'variant', ...columns].join(', '))})
          ${rowsOf(`${kind}_${of}`, kept)}
          SELECT g.scope, g.hour, ${pick(2)}, ${pick(1)}, ${raw(values.join(', '))} FROM g GROUP BY 1, 2, 3, 4`,
      ]
    }),
  )
  return [...sums, ...replaced(inHours)]
}

/** `scope, bucket, counts, largest, largest_of` of the histograms of one source. */
function latenciesOf(ofHours: Statement): Statement {
  const counts = eitherText('g.value -> 1', 'CAST(g.value -> 1 AS TEXT)')
  return sql`${rowsOf('latency', ofHours)}
    SELECT g.scope, ${pick(0)}, ${counts}, ${pick(2)}, ${pick(3)} FROM g WHERE true`
}

/**
 * Adds the ten minutes of hours to the counts of their days, or takes them off: counts are whole, so nothing is lost. The
 * largest latency of a day is that of all its ten minutes.
 */
function mergeDays(hours: readonly ScopeHour[], sign: 1 | -1): Statement {
  const inDay = raw(`t.scope = rollup_latency_1d.scope AND t.bucket >= rollup_latency_1d.bucket * 144
    AND t.bucket < (rollup_latency_1d.bucket + 1) * 144`)
  const bins = sql`SELECT ${eitherText(`b.key, ${sign} * b.value`, `b.bin, ${sign} * b.n AS n`)}
    FROM rollup_latency_10m t CROSS JOIN ${either(raw('json_each(t.counts) AS b'), () => sql`LATERAL (${eachCount('t.counts')}) AS b`)}
    WHERE ${inDay} AND ${among(hours, 't.bucket / 6', { scope: 't.scope' })}`
  return sql`UPDATE rollup_latency_1d SET
      largest = coalesce((SELECT max(t.largest) FROM rollup_latency_10m t WHERE ${inDay}), 0),
      largest_of = coalesce((SELECT sum(t.largest_of) FROM rollup_latency_10m t WHERE ${inDay}), 0),
      counts = coalesce((SELECT ${COUNTS_OBJECT} FROM (SELECT bin, CAST(sum(n) AS BIGINT) AS n
        FROM (${eachCount('rollup_latency_1d.counts')} UNION ALL ${bins}) AS parts
        GROUP BY bin HAVING sum(n) <> 0) AS added), '{}')
    WHERE ${among(hours, 'bucket', { per: DAY_HOURS })}`
}

/** Forgets the latencies of the days of these hours: all of their hours are summed again. */
export function forgetLatencies(hours: readonly ScopeHour[]): Statement[] {
  return [
    sql`DELETE FROM rollup_latency_10m WHERE ${among(hours, 'bucket / 144', { per: DAY_HOURS })}`,
    sql`DELETE FROM rollup_latency_1d WHERE ${among(hours, 'bucket', { per: DAY_HOURS })}`,
  ]
}

/** Days with aggregates have no events: reads of single events say where they are, and windows end at whole buckets. */
function gapStatements(
  hours: readonly ScopeHour[],
  { sourcesOf, runUrl }: Pick<Writing, 'sourcesOf' | 'runUrl'>,
): Statement[] {
  const from = jsonRows(
    perDay(hours, DAY_HOURS).map(([scope, day]) => [scope, day, (sourcesOf.get(scope) ?? []).join(', ')]),
  )
  return [
    sql`INSERT INTO event_gaps (scope, day, done, width_ms, kept_by, run_url)
      SELECT ${pick(0)}, ${pick(1)}, 1, max(c.width_ms), ${pick(2, 'TEXT')}, CAST(${runUrl} AS TEXT)
      FROM ${from} JOIN aggregates c ON c.scope = ${pick(0)} AND c.hour >= ${pick(1)} * 24 AND c.hour < (${pick(1)} + 1) * 24
      GROUP BY 1, 2, 5
      ON CONFLICT (scope, day) DO UPDATE SET
        width_ms = excluded.width_ms, kept_by = excluded.kept_by, run_url = excluded.run_url`,
    sql`DELETE FROM event_gaps WHERE ${among(hours, 'day', { per: DAY_HOURS })} AND kept_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM aggregates c WHERE c.scope = event_gaps.scope
        AND c.hour >= event_gaps.day * 24 AND c.hour < (event_gaps.day + 1) * 24)`,
  ]
}

/** The first statements of a batch that writes aggregates: it fails, as `unique`, where others wrote since `writes` were counted. */
export function writeGuard(writes: number, holds: Statement): Statement[] {
  return [
    sql`UPDATE aggregate_writes SET writes = writes + 1 WHERE id = 1 AND writes = ${writes}`,
    sql`INSERT INTO aggregate_writes (id, writes) SELECT 1, 0
      WHERE (SELECT writes FROM aggregate_writes WHERE id = 1) <> ${writes + 1} OR NOT ${holds}`,
  ]
}

/** Days since the epoch of a time, epoch ms. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** Aggregates that are removed at a time. */
const SOME = 500

/** Old aggregates go with the run events of their time; what they added up to stays. They name tenants by ids alone. */
export const removal: Removal = {
  name: 'aggregates',
  byHand: {
    words: hours => `the aggregates of ${hours} ${hours === 1 ? 'hour' : 'hours'} of a release and a source`,
    prunable: (db, before) =>
      ask(
        db,
        onlyRow(
          sql`SELECT count(*) AS hours FROM aggregates WHERE ${isOld(before)}`,
          field('hours', asNumber),
        ),
      ),
  },
  prune: (db, before, pace) =>
    removeAll(
      db,
      sql`DELETE FROM aggregates WHERE (scope, hour, source) IN (
        SELECT scope, hour, source FROM aggregates WHERE ${isOld(before)} LIMIT ${SOME})`,
      pace,
    ),
}

function isOld(before: number): Statement {
  return sql`hour < ${Math.floor(before / HOUR_MS)}`
}
