import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { lockTables } from '../../sql/dialect.ts'
import { unbounded } from '../../sql/deadline.ts'
import { type Row, type Sql, type Statement, type Value, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  asRow,
  ask,
  columns,
  firstRow,
  inTurn,
  together,
} from '../../sql/query.ts'
import { COUNTED } from '../trail/counters.ts'
import { reviseAgents, reviseHead } from '../trail/chain.ts'
import { type Actor, type Features, type Ledger, type Progress, partsOf } from '../world/ledger.ts'
import { rebuildBlocks } from './blocks.ts'
import { dayProblem, openDays } from './days.ts'
import { isWhole } from './gaps.ts'
import type { EventSums, Rollup } from './event_sums.ts'
import { BIN_TABLES, type Counts, firstTokensOf, latencySelect } from './latency_counts.ts'
import { PART_SUMS, PART_WIDTHS, partRollupSelect } from './parts.ts'
import { SCORE_SUMS, SCORE_WIDTHS, scoreRollupSelect } from './score_rows.ts'
import { ROLLUP_SUMS, rollupSelect } from './rollup_sql.ts'
import { MOVED_POINTERS, RESTORE_POINTERS } from '../trail/pointers.ts'
import { logOnly } from '../trail/write_logged.ts'
import type { Rebuilt } from '../../models/answers/health.ts'

/** A day of one scope, or a part of it: small enough to read at once and to rewrite in one batch. Times are epoch ms. */
interface Slice {
  readonly scope: number
  readonly from: number
  readonly to: number
}

const SUMMED = { key: ['scope', 'bucket', 'variant'], same: nearlyEqual } as const

const BINNED: Pick<Rollup, 'key' | 'columns' | 'same'> = {
  key: ['scope', 'bucket'],
  columns: ['counts', 'largest', 'largest_of'],
  same: (kept, summed, column) => (column === 'counts' ? sameCounts(kept, summed) : kept === summed),
}

/** Those of the core. */
const ROLLUPS: readonly Rollup[] = [
  ...(
    [
      ['rollup_minutes', MINUTE_MS],
      ['rollup_hours', HOUR_MS],
    ] as const
  ).map(([table, widthMs]): Rollup => ({
    ...SUMMED,
    table,
    widthMs,
    from: 'run_events',
    columns: ROLLUP_SUMS,
    select: (width, source) => rollupSelect(width, source),
  })),
  ...PART_WIDTHS.map(([table, widthMs]): Rollup => ({
    ...SUMMED,
    table,
    widthMs,
    from: 'run_parts',
    columns: PART_SUMS,
    select: (width, source) => partRollupSelect(width, source),
  })),
  ...SCORE_WIDTHS.map(([table, widthMs]): Rollup => ({
    key: ['scope', 'bucket', 'name'],
    same: nearlyEqual,
    table,
    widthMs,
    from: 'run_scores',
    columns: SCORE_SUMS,
    select: (width, source) => scoreRollupSelect(width, source),
  })),
  ...BIN_TABLES.latency.map(([table, widthMs]): Rollup => ({
    ...BINNED,
    table,
    widthMs,
    from: 'run_events',
    select: latencySelect,
  })),
  ...BIN_TABLES.ttft.map(([table, widthMs]): Rollup => ({
    ...BINNED,
    table,
    widthMs,
    from: 'run_scores',
    select: (width, source) => latencySelect(width, firstTokensOf(source)),
  })),
]

/** Where rollups differ from the raw events: a text per slice, the first few. */
export async function rollupFaults(
  db: Sql,
  features: Features,
  onProgress?: Progress,
  most = 3,
): Promise<string[]> {
  const problems: string[] = []
  const rollups = [...ROLLUPS, ...(await sumsOf(features)).flatMap(sums => sums.rollups)]
  for (const { table, widthMs } of rollups) {
    const perDay = raw(String(DAY_MS / widthMs))
    const unknown = firstRow(
      sql`SELECT d.scope, d.day FROM (SELECT DISTINCT scope, bucket / ${perDay} AS day FROM ${raw(table)}) d
        WHERE NOT EXISTS (SELECT 1 FROM rollup_hours h
          WHERE h.scope = d.scope AND h.bucket >= d.day * 24 AND h.bucket < (d.day + 1) * 24) LIMIT 1`,
      readDay,
    )
    const found = await ask(db, unknown)
    if (found !== undefined)
      problems.push(`${table}, scope ${found.scope}, has day ${found.day}, of which there are no hours`)
  }
  const day = await dayProblem(db)
  if (day !== undefined) problems.push(day)
  const slices = await slicesOf(db)
  for (const [done, slice] of slices.entries()) {
    onProgress?.('rollups', done, slices.length)
    const compared = rollups.map(rollup =>
      together({
        kept: inOrder(rollup, sql`SELECT * FROM ${raw(rollup.table)} WHERE ${bucketsOf(rollup, slice)}`),
        summed: inOrder(rollup, sql`SELECT * FROM (${selectOf(rollup, slice)}) AS raw`),
      }),
    )
    for (const [index, { kept, summed }] of (await ask(db, inTurn(compared))).entries()) {
      const kind = rollups[index]!
      const difference = firstDifference(kind, kept, summed)
      if (difference === undefined) continue
      problems.push(`${kind.table}, scope ${slice.scope}, ${difference}`)
      if (problems.length === most) return problems
    }
  }
  return problems
}

/** The most differences that an entry of the audit log and an answer list. */
const MOST_LISTED = 20

/**
 * Rebuilds rollups, counters, the times of blocks and promoted pointers from the rows they are derived from, rollups a
 * day of a release at a time. Safe while events come in: what is rebuilt is locked meanwhile. What differs is in the audit
 * log before anything changes: sums that differ are what shows that events were changed from outside.
 */
export async function rebuildRollups(ledger: Ledger, actor: Actor): Promise<Rebuilt> {
  const { features } = ledger
  // It takes as long as there are days.
  const db = unbounded(ledger.sql)
  const differences = [
    ...(await ask(db, MOVED_POINTERS)),
    ...(await rollupFaults(db, features, undefined, MOST_LISTED)),
  ].slice(0, MOST_LISTED)
  const entry = { kind: 'rollups.rebuilding', actor, reason: null, details: { differences } } as const
  await logOnly({ ...ledger, sql: db }, entry)
  const further = await sumsOf(features)
  for (const { beforeRebuild } of further) await beforeRebuild(db)
  const rollups = [...ROLLUPS, ...further.flatMap(sums => sums.rollups)]
  const slices = await slicesOf(db)
  for (const slice of slices) await db.batch(rebuiltSlice(db, rollups, slice))
  await db.batch(openDays(db))
  await rebuildBlocks(db)
  await db.batch([reviseHead('rebuild'), RESTORE_POINTERS])
  await db.batch([
    ...lockTables(db, 'rollup_hours, counters'),
    ...Object.entries(COUNTED).flatMap(([counter, query]) => [
      sql`DELETE FROM counters WHERE name = ${counter}`,
      sql`INSERT INTO counters (name, slot, value) SELECT ${counter}, 0, CAST((${raw(query)}) AS BIGINT)`,
    ]),
  ])
  const others = await partsOf(features, 'rebuild')
  for (const rebuild of others) await rebuild(db, features)
  return { days: slices.length, differences }
}

/** The sums that features keep. */
export function sumsOf(features: Features): Promise<readonly EventSums[]> {
  return partsOf(features, 'sums')
}

/** Makes rollups of a part of a day again from its rows, if all of the day's are there. */
export function rebuiltSlice(db: Sql, rollups: readonly Rollup[], slice: Slice): Statement[] {
  return [
    ...lockTables(db, [...rollups.map(({ table }) => table), 'event_gaps'].join(', ')),
    ...rollups.flatMap(rollup => [
      sql`DELETE FROM ${raw(rollup.table)} WHERE ${bucketsOf(rollup, slice)}`,
      sql`INSERT INTO ${raw(`${rollup.table} (${[...rollup.key, ...rollup.columns].join(', ')})`)}
        ${selectOf(rollup, slice)}`,
    ]),
    // What was read or judged of the sums before is outdated.
    reviseAgents(sql`SELECT r.agent_id FROM scopes s JOIN releases r ON r.release_id = s.release_id
      WHERE s.id = ${slice.scope}`),
  ]
}

/** Days whose events are all there: of others the rollups are the only record. */
async function slicesOf(db: Sql): Promise<Slice[]> {
  const days = allRows(
    sql`SELECT scope, bucket / 24 AS day FROM rollup_hours h
        WHERE ${isWhole(sql`h.scope`, sql`h.bucket`, HOUR_MS)}
      UNION SELECT scope, ts / 86400000 AS day FROM run_events e WHERE ${isWhole(sql`e.scope`, sql`e.ts`, 1)}
      ORDER BY scope, day`,
    readDay,
  )
  return (await ask(db, days)).map(({ scope, day }) => {
    const from = day * DAY_MS
    return { scope, from, to: from + DAY_MS }
  })
}

const readDay = columns({ scope: asNumber, day: asNumber })

function bucketsOf({ widthMs: width, only }: Rollup, slice: Slice): Statement {
  const { scope, from, to } = slice
  const kept = only === undefined ? sql`` : sql` AND ${only().buckets}`
  return sql`scope = ${scope} AND bucket >= ${from / width} AND bucket < ${to / width} AND ${isStillWhole(slice)}${kept}`
}

function rawSource({ from: table, only }: Rollup, slice: Slice): Statement {
  const { scope, from, to } = slice
  const counted = only === undefined ? sql`` : sql` AND ${only().rows}`
  return sql`${raw(table)} WHERE scope = ${scope} AND ts >= ${from} AND ts < ${to} AND ${isStillWhole(slice)}${counted}`
}

/** Events may have been pruned or erased since the slices were listed. */
function isStillWhole({ scope, from }: Slice): Statement {
  return isWhole(sql`CAST(${scope} AS BIGINT)`, sql`CAST(${from} AS BIGINT)`, 1)
}

function selectOf(rollup: Rollup, slice: Slice): Statement {
  return rollup.select(rollup.widthMs, rawSource(rollup, slice))
}

function inOrder({ key }: Rollup, rows: Statement) {
  return allRows(sql`${rows} ORDER BY ${raw(key.join(', '))}`, asRow)
}

function firstDifference(
  { key, columns: compared, same }: Rollup,
  kept: readonly Row[],
  summed: readonly Row[],
): string | undefined {
  for (let index = 0; index < Math.max(kept.length, summed.length); index++) {
    const [left, right] = [kept[index], summed[index]]
    if (left === undefined) return `bucket ${right!.bucket} is missing`
    if (right === undefined) return `bucket ${left.bucket} has no events`
    // What an older version summed doesn't tell all failed runs apart.
    const lacksFailed = left.failed_count !== undefined && asNumber(left.failed_count) < asNumber(left.errors)
    const column =
      key.find(name => left[name] !== right[name]) ??
      compared.find(
        name => !(lacksFailed && name.startsWith('failed_')) && !same(left[name], right[name], name),
      )
    if (column === undefined) continue
    // Those of a busy day are kilobytes.
    const difference =
      column === 'counts' ? 'counts differ' : `${column} is ${left[column]}, not ${right[column]}`
    return `bucket ${left.bucket}: ${difference}`
  }
  return undefined
}

/** Sums of doubles depend on their order in the last bits. */
export function nearlyEqual(a: Value | undefined, b: Value | undefined): boolean {
  const [left, right] = [asNumber(a), asNumber(b)]
  return Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right), 1)
}

/** Objects of counts may name their bins in any order. */
function sameCounts(a: Value | undefined, b: Value | undefined): boolean {
  const [left, right] = [asJson<Counts>(a), asJson<Counts>(b)]
  const bins = Object.keys(left)
  return bins.length === Object.keys(right).length && bins.every(bin => left[bin] === right[bin])
}
