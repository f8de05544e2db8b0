import { DAY_HOURS, HOUR_MS } from '../../base/time.ts'
import { nearlyEqual } from '../../ledger/events/rebuild.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { elsewhereOf } from './import.ts'
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
import { SUMS, SUM_KINDS, type SumKind } from './rules_sums.ts'
import { TABLES, forgetLatencies, rollUpStatements, writeGuard } from './store.ts'

/** An hour with cells, and all scopes and sources that have some. */
interface CellHour {
  readonly hour: number
  readonly scopes: readonly number[]
  readonly sources: readonly string[]
}

const CELL = columns({ hour: asNumber, scope: asNumber, source: asText })

function cellHours(rows: readonly ReturnType<typeof CELL>[]): CellHour[] {
  return Array.from(
    Map.groupBy(rows, ({ hour }) => hour),
    ([hour, of]) => ({
      hour,
      scopes: [...new Set(of.map(({ scope }) => scope))],
      sources: [...new Set(of.map(({ source }) => source))].sort(),
    }),
  )
}

/** Hours that are read at a time. */
const PAGE = 24

/** Hours with cells, in order. */
export async function* hoursWithCells(db: Sql): AsyncGenerator<CellHour> {
  for (let after = -1; ;) {
    const page = sql`SELECT hour, scope, source FROM cells WHERE hour IN (
      SELECT DISTINCT hour FROM cells WHERE hour > ${after} ORDER BY hour LIMIT ${PAGE}) ORDER BY hour, scope, source`
    const hours = cellHours(await ask(db, allRows(page, CELL)))
    if (hours.length === 0) return
    yield* hours
    after = hours.at(-1)!.hour
  }
}

/** Makes the roll-ups of days that sources feed again from their cells, a day at a time. */
export async function rebuild(db: Sql, features: Ledger['features']): Promise<void> {
  const strataTable = (await elsewhereOf({ features }))?.table
  for (let after = -1; ;) {
    const { writes, rows } = await ask(
      db,
      together({
        writes: onlyRow(sql`SELECT writes FROM cell_writes WHERE id = 1`, field('writes', asNumber)),
        rows: allRows(
          sql`SELECT hour, scope, source FROM cells WHERE hour / 24 = (
            SELECT min(hour) / 24 FROM cells WHERE hour >= ${(after + 1) * DAY_HOURS})`,
          CELL,
        ),
      }),
    )
    if (rows.length === 0) return
    after = Math.floor(rows[0]!.hour / DAY_HOURS)
    const scopes = [...new Set(rows.map(({ scope }) => scope))]
    await db.batch([
      ...writeGuard(writes, sql`1 = 1`),
      ...forgetLatencies(db.dialect, after, scopes),
      ...cellHours(rows).flatMap(own =>
        rollUpStatements(db.dialect, own.hour, own.scopes, own.sources, strataTable),
      ),
    ])
  }
}

/** What the cells of an hour add up to, by table and key; and the same as it is kept. */
export async function firstDifference(db: Sql, { hour, scopes }: CellHour): Promise<string | undefined> {
  const stored = columns({ scope: asNumber, sums: asJson<Record<string, readonly Sums[]>> })
  const [cells, ...kept] = await ask(
    db,
    inTurn<readonly Row[]>([
      allRows(sql`SELECT scope, sums FROM cells WHERE hour = ${hour}`, asRow),
      ...SUM_KINDS.flatMap(kind => {
        const { minutes, hours } = TABLES[kind]
        return [
          allRows(
            sql`SELECT * FROM ${raw(minutes)} WHERE bucket >= ${hour * 60} AND bucket < ${(hour + 1) * 60}`,
            asRow,
          ),
          allRows(sql`SELECT * FROM ${raw(hours)} WHERE bucket = ${hour}`, asRow),
        ]
      }),
    ]),
  )
  const own = new Set(scopes)
  for (const [at, kind] of SUM_KINDS.entries()) {
    for (const [which, perBucket] of [1, 60].entries()) {
      const expected = new Map<string, number[]>()
      for (const row of cells!) {
        const { scope, sums } = stored(row)
        for (const [bucket, of, ...values] of sums[kind] ?? []) {
          const key = `${scope} ${Math.floor(bucket / perBucket)} ${of}`
          const known = expected.get(key)
          expected.set(
            key,
            known === undefined ? values : known.map((value, index) => value + values[index]!),
          )
        }
      }
      const found = kept[at * 2 + which]!.filter(row => own.has(asNumber(row.scope)))
      const text = differs(kind, found, expected)
      if (text !== undefined) return `${which === 0 ? TABLES[kind].minutes : TABLES[kind].hours}: ${text}`
    }
  }
  return undefined
}

type Sums = readonly [bucket: number, of: number | string, ...sums: number[]]

function differs(kind: SumKind, kept: readonly Row[], expected: Map<string, number[]>): string | undefined {
  for (const row of kept) {
    const key = `${row.scope} ${row.bucket} ${row[TABLES[kind].of]}`
    const sums = expected.get(key)
    if (sums === undefined) return `scope ${row.scope}, bucket ${row.bucket} is no cell of a source`
    const column = SUMS[kind].find((name, index) => !nearlyEqual(row[name], sums[index]!))
    if (column !== undefined)
      return `scope ${row.scope}, bucket ${row.bucket}: ${column} is not what the cells add up to`
    expected.delete(key)
  }
  const [missing] = expected.keys()
  return missing === undefined ? undefined : `scope, bucket and ${TABLES[kind].of} ${missing} are missing`
}

/** Whether the latencies of a day and of its ten minutes are those of the cells. */
export async function latenciesDiffer(db: Sql, { hour, scopes }: CellHour): Promise<string | undefined> {
  const day = Math.floor(hour / DAY_HOURS)
  const counted = columns({ scope: asNumber, bucket: asNumber, counts: asJson<Record<string, number>> })
  const stored = columns({
    scope: asNumber,
    sums: asJson<{ latency?: readonly (readonly [number, Record<string, number>])[] }>,
  })
  const [cells, fine, ofDay] = await ask(
    db,
    inTurn<readonly Row[]>([
      allRows(
        sql`SELECT scope, sums FROM cells WHERE hour >= ${day * DAY_HOURS} AND hour < ${(day + 1) * DAY_HOURS}`,
        asRow,
      ),
      allRows(
        sql`SELECT * FROM rollup_latency_10m WHERE bucket >= ${day * 144} AND bucket < ${(day + 1) * 144}`,
        asRow,
      ),
      allRows(sql`SELECT * FROM rollup_latency_1d WHERE bucket = ${day}`, asRow),
    ]),
  )
  const own = new Set(scopes)
  const total = (rows: readonly { readonly key: string; readonly counts: Record<string, number> }[]) => {
    const sums = new Map<string, number>()
    for (const { key, counts } of rows) {
      for (const [bin, n] of Object.entries(counts))
        sums.set(`${key} ${bin}`, (sums.get(`${key} ${bin}`) ?? 0) + n)
    }
    return JSON.stringify([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  const ofCells = cells!.map(stored).filter(({ scope }) => own.has(scope))
  const keptOf = (rows: readonly Row[]) => rows.map(counted).filter(({ scope }) => own.has(scope))
  const perBucket = ofCells.flatMap(({ scope, sums }) =>
    (sums.latency ?? []).map(([bucket, counts]) => ({ scope, bucket, counts })),
  )
  const isSame =
    total(perBucket.map(each => ({ key: `${each.scope} ${each.bucket}`, counts: each.counts }))) ===
      total(keptOf(fine!).map(each => ({ key: `${each.scope} ${each.bucket}`, counts: each.counts }))) &&
    total(perBucket.map(each => ({ key: `${each.scope}`, counts: each.counts }))) ===
      total(keptOf(ofDay!).map(each => ({ key: `${each.scope}`, counts: each.counts })))
  return isSame
    ? undefined
    : `latencies of ${new Date(hour * HOUR_MS).toISOString()} are not those of the cells`
}
