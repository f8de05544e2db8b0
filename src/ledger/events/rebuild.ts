import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { COUNTED } from '../chain/counters.ts'
import { reviseHead } from '../chain/chain.ts'
import { isWhole } from '../retention/gaps.ts'
import { PART_SUMS, PART_WIDTHS, partRollupSelect } from './parts_sql.ts'
import { ROLLUP_SUMS, rollupSelect } from './rollup_sql.ts'
import { RESTORE_POINTERS } from '../chain/pointers.ts'

/** A day of one scope: small enough to read at once and to rewrite in one batch. */
interface Slice {
  readonly scope: number
  readonly from: number
  readonly to: number
}

interface Rollup {
  readonly table: string
  readonly widthMs: number
  /** What it is made of. */
  readonly from: 'run_events' | 'run_parts'
  readonly sums: readonly string[]
  readonly select: (widthMs: number, source: Statement) => Statement
}

const ROLLUPS: readonly Rollup[] = [
  ...(
    [
      ['rollup_minutes', MINUTE_MS],
      ['rollup_hours', HOUR_MS],
    ] as const
  ).map(([table, widthMs]): Rollup => ({
    table,
    widthMs,
    from: 'run_events',
    sums: ROLLUP_SUMS,
    select: rollupSelect,
  })),
  ...PART_WIDTHS.map(([table, widthMs]): Rollup => ({
    table,
    widthMs,
    from: 'run_parts',
    sums: PART_SUMS,
    select: partRollupSelect,
  })),
]

/** Where roll-ups differ from the raw events: a text per slice, the first few. */
export async function rollupProblems(db: Sql, most = 3): Promise<string[]> {
  const problems: string[] = []
  for (const slice of await slicesOf(db)) {
    const results = await db.snapshot(
      ROLLUPS.flatMap(rollup => [keptStatement(rollup, slice), rawStatement(rollup, slice)]),
    )
    for (const [index, { table, sums }] of ROLLUPS.entries()) {
      const difference = firstDifference(results[index * 2]!.rows, results[index * 2 + 1]!.rows, sums)
      if (difference === undefined) continue
      problems.push(`${table}, scope ${slice.scope}, ${difference}`)
      if (problems.length === most) return problems
    }
  }
  return problems
}

/**
 * Rebuilds roll-ups, counters and promoted pointers from the rows they are derived from, roll-ups a day of a release at
 * a time. Safe while events come in: what is rebuilt is locked meanwhile.
 */
export async function rebuildRollups(db: Sql): Promise<{ days: number }> {
  const slices = await slicesOf(db)
  for (const slice of slices) {
    await db.batch([
      ...lockOf(db, ROLLUPS.map(({ table }) => table).join(', ')),
      ...ROLLUPS.flatMap(({ table, widthMs, from, sums, select }) => [
        sql`DELETE FROM ${raw(table)} WHERE ${bucketsOf(widthMs, slice)}`,
        sql`INSERT INTO ${raw(`${table} (scope, bucket, variant, ${sums.join(', ')})`)}
          ${select(widthMs, rawSource(from, slice))}`,
      ]),
    ])
  }
  await db.batch([reviseHead('rebuild'), RESTORE_POINTERS])
  await db.batch([
    ...lockOf(db, 'rollup_hours, counters'),
    ...Object.entries(COUNTED).flatMap(([counter, query]) => [
      sql`DELETE FROM counters WHERE name = ${counter}`,
      sql`INSERT INTO counters (name, slot, value) SELECT ${counter}, 0, CAST((${raw(query)}) AS BIGINT)`,
    ]),
  ])
  return { days: slices.length }
}

/**
 * Keeps out who would add to these tables before the transaction sees all that was added. On PostgreSQL each statement
 * sees what was committed before it, and without the lock an ingest in between would be in the sums and be added to
 * them. SQLite has one writer.
 */
function lockOf({ dialect }: Sql, tables: string): Statement[] {
  return dialect === 'postgres' ? [raw(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`)] : []
}

function raw(text: string): Statement {
  return { text, params: [] }
}

/** Days whose events are all there: of others the roll-ups are the only record. */
async function slicesOf(db: Sql): Promise<Slice[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT scope, bucket / 24 AS day FROM rollup_hours h
        WHERE ${isWhole(sql`h.scope`, sql`h.bucket`, HOUR_MS)}
      UNION SELECT scope, ts / 86400000 AS day FROM run_events e WHERE ${isWhole(sql`e.scope`, sql`e.ts`, 1)}
      ORDER BY scope, day`,
  )
  return rows.map(row => {
    const from = Number(row.day) * DAY_MS
    return { scope: Number(row.scope), from, to: from + DAY_MS }
  })
}

function bucketsOf(width: number, { scope, from, to }: Slice): Statement {
  return sql`scope = ${scope} AND bucket >= ${from / width} AND bucket < ${to / width}`
}

function rawSource(table: Rollup['from'], { scope, from, to }: Slice): Statement {
  return sql`${raw(table)} WHERE scope = ${scope} AND ts >= ${from} AND ts < ${to}`
}

function keptStatement({ table, widthMs }: Rollup, slice: Slice): Statement {
  return sql`SELECT * FROM ${raw(table)} WHERE ${bucketsOf(widthMs, slice)}
    ORDER BY bucket, variant`
}

function rawStatement({ widthMs, from, select }: Rollup, slice: Slice): Statement {
  return sql`SELECT * FROM (${select(widthMs, rawSource(from, slice))}) AS raw ORDER BY bucket, variant`
}

function firstDifference(
  kept: readonly Row[],
  summed: readonly Row[],
  sums: readonly string[],
): string | undefined {
  for (let index = 0; index < Math.max(kept.length, summed.length); index++) {
    const [left, right] = [kept[index], summed[index]]
    if (left === undefined) return `bucket ${right!.bucket} is missing`
    if (right === undefined) return `bucket ${left.bucket} has no events`
    const column = ['bucket', 'variant', ...sums].find(name => !nearlyEqual(left[name], right[name]))
    if (column !== undefined)
      return `bucket ${left.bucket}: ${column} is ${left[column]}, not ${right[column]}`
  }
  return undefined
}

/** Sums of doubles depend on their order in the last bits. */
function nearlyEqual(a: unknown, b: unknown): boolean {
  const [left, right] = [Number(a), Number(b)]
  return Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right), 1)
}
