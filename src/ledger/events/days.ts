import { DAY_HOURS, DAY_MS, MINUTE_MS } from '../../base/time.ts'
import type { BucketSums } from '../../rules/common_time.ts'
import { eitherText, lockTables } from '../../sql/dialect.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asFlag, columns, firstRow, hasRow } from '../../sql/query.ts'
import type { Ledger, Pace } from '../world/ledger.ts'
import { IN_SCOPE, sumsText } from './rollups.ts'

/** Sums of a day that is packed, and what of an hour and variant they add up. */
const SUMS = [
  ['runs', 'runs'],
  ['errors', 'errors'],
  ['latency_count', 'latency_count'],
  ['latency_sum', 'latency_sum'],
  ['tokens', 'input_sum + 2 * output_sum + 4 * cached_sum + variant'],
] as const
/** Sums of rows by hour or minute: with any change of their runs one of these is another. */
export const STATE_SUMS = SUMS.map(([, sum]) => sum)
const PACKED = [...SUMS.map(([name]) => name), 'hours']

const OF_DAYS = raw(sumsText(['d.bucket * d.runs', ...SUMS.map(([name]) => `d.${name}`)]))
const OF_HOURS = raw(sumsText(['bucket * runs', ...STATE_SUMS]))

/**
 * What the sums of some hours of the scope depend on, as a text: the days of these hours that are packed, and the hours of the
 * others. `first` and `behind` are columns.
 */
export function stateOfHours(first: string, behind: string): Statement {
  const packed = sql`SELECT ${OF_DAYS} FROM rollup_days d
    WHERE ${daysOf(first, behind)} AND d.runs IS NOT NULL`
  return sql`((${packed}) || ' ' || (SELECT ${OF_HOURS} FROM (
    SELECT h.* FROM ${openHours(first, behind, 'runs')}) AS h))`
}

/** Days `d` of these hours. */
export function daysOf(first: string, behind: string): Statement {
  const days = `d.bucket >= ${first} / ${DAY_HOURS} AND d.bucket <= (${behind} - 1) / ${DAY_HOURS}`
  return sql`d.${IN_SCOPE} AND ${raw(days)}`
}

/** Rows `h` of these hours whose days `d` lack a packed column: the rest of a FROM clause. */
export function openHours(first: string, behind: string, lacked: 'runs' | 'hours'): Statement {
  const [start, end] = [`d.bucket * ${DAY_HOURS}`, `(d.bucket + 1) * ${DAY_HOURS}`]
  return sql`rollup_days d CROSS JOIN rollup_hours h
    WHERE ${daysOf(first, behind)} AND ${raw(`${NOT_PACKED[lacked]} AND h.scope = d.scope
      AND h.bucket >= CASE WHEN ${start} > ${first} THEN ${start} ELSE ${first} END
      AND h.bucket < CASE WHEN ${end} < ${behind} THEN ${end} ELSE ${behind} END`)}`
}

const NOT_PACKED = { runs: 'd.runs IS NULL', hours: "coalesce(d.hours, '') = ''" } as const

/** The sums by hour that {@link packedDay} has written. */
export function unpacked(hours: string): BucketSums[] {
  return hours.split(',').map(hour => {
    const [bucket, runs, latency_sum, latency_sq] = hour.split(' ').map(Number)
    return { bucket: bucket!, runs: runs!, latency_sum: latency_sum!, latency_sq: latency_sq! }
  })
}

/** Doubles are exact below this, in whichever order they are added. */
const EXACT = '9e15'

/** Selects the sums of a day in the order of {@link PACKED}. A sum that may not be exact is 0, and its hours are left out. */
function packedDay(scope: string, day: string): Statement {
  const sums = [...SUMS, ['latency_sq', 'latency_sq']]
  const exact = (sum: string): string => `CASE WHEN ${sum} < ${EXACT} THEN ${sum} ELSE 0 END`
  const texts = ['bucket', 'runs', 'latency_sum', 'latency_sq']
  const hour = texts.map(sum => `CAST(CAST(${exact(sum)} AS BIGINT) AS TEXT)`).join(" || ' ' || ")
  // The parser of a remote libSQL server knows no order in an aggregate; SQLite takes the rows as they come.
  const hours = eitherText(`group_concat(${hour}, ',')`, `string_agg(${hour}, ',' ORDER BY bucket)`)
  return sql`SELECT ${raw(SUMS.map(([name]) => `coalesce(${exact(`sum(${name})`)}, 0) AS ${name}`).join(', '))},
      CASE WHEN max(latency_sq) < ${raw(EXACT)} THEN ${hours} ELSE '' END AS hours
    FROM (SELECT bucket, ${raw(sums.map(([name, sum]) => `sum(${sum}) AS ${name}`).join(', '))} FROM rollup_hours
      WHERE ${raw(`scope = ${scope} AND bucket >= ${day} * ${DAY_HOURS} AND bucket < (${day} + 1) * ${DAY_HOURS}`)}
      GROUP BY bucket ORDER BY bucket) AS by_hour`
}

/** Days that are packed at a time, and how long ago a day has to be over: events come a little late. */
const DAYS_AT_ONCE = 20
const OVER_MS = 5 * MINUTE_MS

/** Packs the days that are over, the oldest first. Cheap where there is nothing to do. */
export async function packDays({ sql: db }: Pick<Ledger, 'sql'>, pace: Pace): Promise<void> {
  const open = sql`SELECT o.scope, o.bucket FROM rollup_days o
    WHERE o.runs IS NULL AND o.bucket < (${db.clock} - ${raw(String(OVER_MS))}) / ${raw(String(DAY_MS))}
    ORDER BY o.bucket, o.scope LIMIT ${DAYS_AT_ONCE}`
  const pack = sql`UPDATE rollup_days SET (${raw(PACKED.join(', '))}) = (${packedDay('rollup_days.scope', 'rollup_days.bucket')})
    WHERE runs IS NULL AND (scope, bucket) IN (${open})`
  while (await ask(db, hasRow(open))) {
    await pace(() => db.batch([...lockTables(db, 'rollup_hours'), pack]))
  }
}

/** Days that are compared at a time. */
const COMPARED_DAYS = 200

/** The first day that is missing, or packed otherwise than its hours are. */
export async function dayProblem(db: Sql): Promise<string | undefined> {
  const missing = sql`SELECT h.scope, h.bucket / ${raw(String(DAY_HOURS))} AS bucket FROM rollup_hours h WHERE NOT EXISTS (
    SELECT 1 FROM rollup_days d WHERE d.scope = h.scope AND d.bucket = h.bucket / ${raw(String(DAY_HOURS))}) LIMIT 1`
  let found = await ask(db, firstRow(missing, readKey))
  for (let last = { scope: -1, bucket: -1 }; found === undefined;) {
    const days = sql`SELECT * FROM rollup_days
      WHERE (coalesce(runs, errors, latency_count, latency_sum, tokens) IS NOT NULL OR hours IS NOT NULL) AND (scope, bucket) > (${last.scope}, ${last.bucket})
      ORDER BY scope, bucket LIMIT ${COMPARED_DAYS}`
    const compared = await ask(
      db,
      allRows(
        sql`SELECT d.scope, d.bucket, CASE WHEN (${raw(PACKED.map(name => `d.${name}`).join(', '))}) IN (${packedDay('d.scope', 'd.bucket')}) THEN 1 ELSE 0 END AS same
          FROM (${days}) AS d ORDER BY d.scope, d.bucket`,
        columns({ scope: asNumber, bucket: asNumber, same: asFlag }),
      ),
    )
    if (compared.length === 0) return undefined
    found = compared.find(({ same }) => !same)
    last = compared.at(-1)!
  }
  return `rollup_days, scope ${found.scope}, bucket ${found.bucket} differs from its hours`
}

const readKey = columns({ scope: asNumber, bucket: asNumber })

/** Makes the days again, all of them open. */
export function openDays(db: Pick<Sql, 'dialect'>): Statement[] {
  return [
    ...lockTables(db, 'rollup_hours, rollup_days'),
    raw('DELETE FROM rollup_days'),
    raw(
      `INSERT INTO rollup_days (scope, bucket) SELECT DISTINCT scope, bucket / ${DAY_HOURS} FROM rollup_hours`,
    ),
  ]
}
