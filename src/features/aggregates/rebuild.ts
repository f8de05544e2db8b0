import { DAY_HOURS } from '../../base/time.ts'
import type { SumsElsewhere } from '../../ledger/events/event_sums.ts'
import { nearlyEqual } from '../../ledger/events/rebuild.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type Row, type Sql, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  asRow,
  asText,
  ask,
  columns,
  field,
  inTurn,
  onlyRow,
  together,
} from '../../sql/query.ts'
import { elsewhereOf } from './hours.ts'
import { SUMS, SUM_KINDS } from './rules_sums.ts'
import { type ScopeHour, TABLES, forgetLatencies, rollupStatements, writeGuard } from './store.ts'
import type { Counts } from '../../ledger/events/latency_counts.ts'

/** A day of a scope that has aggregates. */
interface AggregateDay {
  readonly scope: number
  readonly day: number
}

/** Days that are listed at a time. */
const PAGE = 500

/** All days with aggregates. */
export async function* aggregateDays(db: Sql): AsyncGenerator<AggregateDay> {
  for (let last: AggregateDay = { scope: -1, day: -1 }; ;) {
    const page = sql`SELECT DISTINCT scope, hour / 24 AS day FROM aggregates
      WHERE (scope, hour / 24) > (${last.scope}, ${last.day}) ORDER BY 1, 2 LIMIT ${PAGE}`
    const days = await ask(db, allRows(page, columns({ scope: asNumber, day: asNumber })))
    if (days.length === 0) return
    yield* days
    last = days.at(-1)!
  }
}

/** Makes the rollups of days that sources feed again from their aggregates, a day of a scope at a time. */
export async function rebuild(db: Sql, features: Ledger['features']): Promise<void> {
  const elsewhere = await elsewhereOf({ features })
  for await (const { scope, day } of aggregateDays(db)) {
    const { writes, aggregates } = await ask(
      db,
      together({
        writes: onlyRow(sql`SELECT writes FROM aggregate_writes WHERE id = 1`, field('writes', asNumber)),
        aggregates: allRows(
          sql`SELECT hour, source FROM aggregates WHERE scope = ${scope} AND hour >= ${day * DAY_HOURS}
            AND hour < ${(day + 1) * DAY_HOURS} ORDER BY hour, source`,
          columns({ hour: asNumber, source: asText }),
        ),
      }),
    )
    const hours = [...new Set(aggregates.map(({ hour }) => hour))].map((hour): ScopeHour => [scope, hour])
    const sources = [...new Set(aggregates.map(({ source }) => source))].sort()
    await db.batch([
      ...writeGuard(writes, sql`1 = 1`),
      ...forgetLatencies(hours),
      ...rollupStatements(hours, sources, elsewhere),
    ])
  }
}

/** Rollups of aggregates: how many of their buckets make a day, and how many of those of aggregates one of theirs. */
const KEPT = [
  ...SUM_KINDS.flatMap(kind => [
    { table: TABLES[kind].minutes, kind, perDay: 1440, width: 1 },
    { table: TABLES[kind].hours, kind, perDay: 24, width: 60 },
  ]),
  { table: 'rollup_latency_10m', kind: 'latency', perDay: 144, width: 1 },
  { table: 'rollup_latency_1d', kind: 'latency', perDay: 1, width: 144 },
] as const

type Sums = readonly [
  bucket: number,
  of: number | string | Readonly<Record<string, number>>,
  ...sums: number[],
]

/** What of the rollups of a day is not what its aggregates add up to; undefined where all is. */
export async function difference(
  db: Sql,
  { scope, day }: AggregateDay,
  tableOf: SumsElsewhere['table'] | undefined,
): Promise<string | undefined> {
  const segments = tableOf === undefined ? [] : segmentTables(tableOf)
  const inHours = sql`hour >= ${day * DAY_HOURS} AND hour < ${(day + 1) * DAY_HOURS}`
  const [aggregates, ...kept] = await ask(
    db,
    inTurn<readonly Row[]>([
      allRows(sql`SELECT * FROM aggregates WHERE scope = ${scope} AND ${inHours}`, asRow),
      ...[...KEPT, ...segments].map(({ table, perDay }) =>
        allRows(
          sql`SELECT * FROM ${raw(table)} WHERE scope = ${scope} AND bucket >= ${day * perDay}
            AND bucket < ${(day + 1) * perDay}`,
          asRow,
        ),
      ),
    ]),
  )
  const [expected, found] = [new Map<string, readonly number[]>(), new Map<string, readonly number[]>()]
  for (const row of aggregates!) {
    for (const { table, kind, width } of KEPT) {
      for (const [bucket, of, ...values] of asJson<readonly Sums[]>(row[`${kind}_json`] ?? '[]')) {
        const key = `${table}, bucket ${Math.floor(bucket / width)}`
        if (kind === 'latency') addLatencies(expected, key, of as Counts, values)
        else addTo(expected, key, of as string, values)
      }
    }
    for (const { table, column } of segments) {
      for (const [bucket, of, ...values] of asJson<readonly Sums[]>(row[`${column}_json`] ?? '[]')) {
        const [segment, ...sums] = values
        addTo(expected, `${table}, bucket ${Math.floor(bucket / 60)}`, `${of as number} ${segment}`, sums)
      }
    }
  }
  for (const [index, { table, kind }] of KEPT.entries()) {
    for (const row of kept[index]!) {
      const key = `${table}, bucket ${row.bucket}`
      if (kind === 'latency')
        addLatencies(found, key, asJson<Counts>(row.counts), [
          asNumber(row.largest),
          asNumber(row.largest_of),
        ])
      else
        addTo(
          found,
          key,
          row[TABLES[kind].of] as string,
          SUMS[kind].map(name => asNumber(row[name])),
        )
    }
  }
  for (const [index, { table, of }] of segments.entries()) {
    for (const row of kept[KEPT.length + index]!) {
      const sums = SUMS[of].map(name => asNumber(row[name]))
      addTo(found, `${table}, bucket ${row.bucket}`, `${row.variant} ${row.segment}`, sums)
    }
  }
  return [...expected.keys(), ...found.keys()].find(key => {
    const [wanted, given] = [expected.get(key) ?? [], found.get(key) ?? []]
    return wanted.length !== given.length || !wanted.every((value, index) => nearlyEqual(value, given[index]))
  })
}

function segmentTables(tableOf: SumsElsewhere['table']) {
  return (['tenant', 'task'] as const).flatMap(kind =>
    (['runs', 'parts'] as const).map(of => ({
      table: tableOf(kind, of),
      column: `${kind}_${of}` as const,
      of,
      perDay: 24,
    })),
  )
}

/** Adds the sums of a variant or name. */
function addTo(
  all: Map<string, readonly number[]>,
  key: string,
  of: string,
  values: readonly number[],
): void {
  const known = all.get(`${key} ${of}`)
  all.set(`${key} ${of}`, known === undefined ? values : known.map((value, index) => value + values[index]!))
}

/** Adds counts by bin, and the largest latency of how many runs. */
function addLatencies(
  all: Map<string, readonly number[]>,
  key: string,
  counts: Counts,
  [largest, largestOf]: readonly number[],
): void {
  for (const [bin, count] of Object.entries(counts)) addTo(all, `${key}, bin`, bin, [count])
  addTo(all, `${key}, largest`, 'of', [largestOf!])
  all.set(`${key}, largest`, [Math.max(largest!, all.get(`${key}, largest`)?.[0] ?? 0)])
}
