import { DAY_MS, HOUR_MS, MINUTE_MS } from '../rules/time.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../sql/port.ts'
import { COUNTED } from './counters.ts'
import { ROLLUP_SUMS, rollUp, rollupSelect } from './ingest_sql.ts'

/** A day of one scope: small enough to read at once and to rewrite in one batch. */
interface Slice {
  readonly scope: number
  readonly from: number
  readonly to: number
}

const WIDTHS = [
  ['rollup_minutes', MINUTE_MS],
  ['rollup_hours', HOUR_MS],
] as const

/** Where roll-ups differ from the raw events: a text per slice, the first few. */
export async function rollupProblems(db: Sql, most = 3): Promise<string[]> {
  const problems: string[] = []
  for (const slice of await slicesOf(db)) {
    const results = await db.snapshot(
      WIDTHS.flatMap(([table, width]) => [keptStatement(table, width, slice), rawStatement(width, slice)]),
    )
    for (const [index, [table]] of WIDTHS.entries()) {
      const difference = firstDifference(results[index * 2]!.rows, results[index * 2 + 1]!.rows)
      if (difference === undefined) continue
      problems.push(`${table}, scope ${slice.scope}, ${difference}`)
      if (problems.length === most) return problems
    }
  }
  return problems
}

/** Rebuilds all roll-ups and counters from the rows they sum up, a day of a release at a time. */
export async function rebuildRollups(db: Sql): Promise<{ days: number }> {
  const slices = await slicesOf(db)
  for (const slice of slices) {
    await db.batch(
      WIDTHS.flatMap(([table, width]) => [
        sql`DELETE FROM ${{ text: table, params: [] }} WHERE ${bucketsOf(width, slice)}`,
        rollUp(table, width, rawSource(slice)),
      ]),
    )
  }
  for (const [counter, query] of Object.entries(COUNTED)) {
    await db.batch([
      sql`DELETE FROM counters WHERE name = ${counter}`,
      sql`INSERT INTO counters (name, slot, value) SELECT ${counter}, 0, (${{ text: query, params: [] }})`,
    ])
  }
  return { days: slices.length }
}

async function slicesOf(db: Sql): Promise<Slice[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT scope, bucket / 24 AS day FROM rollup_hours
      UNION SELECT scope, ts / 86400000 AS day FROM run_events ORDER BY scope, day`,
  )
  return rows.map(row => {
    const from = Number(row.day) * DAY_MS
    return { scope: Number(row.scope), from, to: from + DAY_MS }
  })
}

function bucketsOf(width: number, { scope, from, to }: Slice): Statement {
  return sql`scope = ${scope} AND bucket >= ${from / width} AND bucket < ${to / width}`
}

function rawSource({ scope, from, to }: Slice): Statement {
  return sql`run_events WHERE scope = ${scope} AND ts >= ${from} AND ts < ${to}`
}

function keptStatement(table: string, width: number, slice: Slice): Statement {
  return sql`SELECT * FROM ${{ text: table, params: [] }} WHERE ${bucketsOf(width, slice)}
    ORDER BY bucket, variant`
}

function rawStatement(width: number, slice: Slice): Statement {
  return sql`SELECT * FROM (${rollupSelect(width, rawSource(slice))}) AS raw ORDER BY bucket, variant`
}

function firstDifference(kept: readonly Row[], raw: readonly Row[]): string | undefined {
  for (let index = 0; index < Math.max(kept.length, raw.length); index++) {
    const [left, right] = [kept[index], raw[index]]
    if (left === undefined) return `bucket ${right!.bucket} is missing`
    if (right === undefined) return `bucket ${left.bucket} has no events`
    const column = ['bucket', 'variant', ...ROLLUP_SUMS].find(name => !nearlyEqual(left[name], right[name]))
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
