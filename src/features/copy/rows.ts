import { MARK_NEWEST } from '../../ledger/events/rollup_sql.ts'
import { type Row, type Sql, type Statement, type Value, join, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, asRow, ask, firstRow, listed } from '../../sql/query.ts'
import type { Table } from './catalog.ts'

/** The values of a row's key; undefined is before the first row. */
export type Key = readonly Value[] | undefined

/** How much is read and written at a time. */
export interface PageLimits {
  readonly rows: number
  readonly bytes: number
}

/** 1,000 events of the usual size; of the largest, a dozen. */
export const PAGE_LIMITS: PageLimits = { rows: 1000, bytes: 3_000_000 }

export interface Page {
  readonly rows: readonly Row[]
  /** Key of the last row. */
  readonly last: Key
}

/** The key of the last row; undefined where there is none. */
export async function lastKey(db: Sql, table: Table): Promise<Key> {
  const order = table.key.map(column => `${column} DESC`).join(', ')
  const last = sql`SELECT ${names(table.key)} FROM ${raw(table.name)} ORDER BY ${raw(order)} LIMIT 1`
  return ask(
    db,
    firstRow(last, row => keyOf(table, row)),
  )
}

/** The rows that follow a key, up to and with `end`, as many as the limits allow and one at least; none behind the last. */
export async function nextPage(
  db: Sql,
  table: Table,
  { after, end, limits }: { readonly after: Key; readonly end: Key; readonly limits: PageLimits },
): Promise<Page | undefined> {
  const texts = table.columns.filter(column => column.type === 'text')
  const size = ['0', ...texts.map(({ name }) => `coalesce(octet_length(${name}), 0)`)].join(' + ')
  const sizes = sql`SELECT ${names(table.key)}, ${raw(size)} AS bytes FROM ${raw(table.name)}
    WHERE ${behind(table, after)} AND ${upTo(table, end)} ORDER BY ${names(table.key)} LIMIT ${limits.rows}`
  const ahead = await ask(db, allRows(sizes, asRow))
  let bytes = 0
  const tooMuch = ahead.findIndex((row, index) => (bytes += asNumber(row.bytes)) > limits.bytes && index > 0)
  const lastRow = ahead.at(tooMuch < 0 ? -1 : tooMuch - 1)
  if (lastRow === undefined) return undefined
  const last = keyOf(table, lastRow)
  return { rows: await rowsBetween(db, table, after, last), last }
}

/** The rows behind `after`, up to and with `last`, in order of their keys. */
export function rowsBetween(db: Sql, table: Table, after: Key, last: Key): Promise<Row[]> {
  const page = sql`SELECT ${names(columnNames(table))} FROM ${raw(table.name)}
    WHERE ${behind(table, after)} AND ${upTo(table, last)} ORDER BY ${names(table.key)}`
  return ask(db, allRows(page, asRow))
}

function keyOf(table: Table, row: Row): readonly Value[] {
  return table.key.map(column => row[column]!)
}

/** Whether the key of a row is behind `after`. */
function behind(table: Table, after: Key): Statement {
  return after === undefined ? sql`true` : sql`(${names(table.key)}) > (${listed(after)})`
}

/** Whether it is `last` or before that. */
function upTo(table: Table, last: Key): Statement {
  return last === undefined ? sql`true` : sql`(${names(table.key)}) <= (${listed(last)})`
}

/** Adds rows, with the numbers they have. With `changing`, a row of the same key is made equal. */
export function insertStatements(
  { dialect }: Sql,
  table: Table,
  rows: readonly Row[],
  { changing = false } = {},
): Statement[] {
  const columns = columnNames(table)
  const values = rows.map(row => columns.map(column => row[column]!))
  const tail = changing ? onConflict(table) : sql``
  if (rows.length === 0) return []
  if (dialect === 'postgres') return [insertOnPostgres(table, values, tail)]
  // Bound, not as JSON: SQLite may read the last bit of a double from text in another way.
  return slicesOf(values, Math.floor(MOST_PARAMETERS / columns.length)).map(
    slice =>
      sql`INSERT INTO ${raw(table.name)} (${names(columns)}) VALUES ${join(
        slice.map(row => sql`(${listed(row)})`),
        ', ',
      )} ${tail}`,
  )
}

/** SQLite's own limit is 32,766 (sqlite.org/limits.html). */
const MOST_PARAMETERS = 32_000

const CASTS = { text: 'TEXT', integer: 'BIGINT', real: 'DOUBLE PRECISION' } as const

function insertOnPostgres(table: Table, values: readonly Value[][], tail: Statement): Statement {
  const picks = table.columns.map(({ type }, index) => `CAST(row ->> ${index} AS ${CASTS[type]})`)
  return sql`INSERT INTO ${raw(table.name)} (${names(columnNames(table))}) OVERRIDING SYSTEM VALUE
    SELECT ${raw(picks.join(', '))}
    FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(values)} AS TEXT) AS JSONB)) AS row ${tail}`
}

/** Makes a copy take new rows as the source would: behind the numbers that are taken, and behind the rollups. */
export function continuationStatements({ dialect }: Sql, tables: readonly Table[]): Statement[] {
  if (dialect === 'sqlite') return [MARK_NEWEST]
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter(column => column.numbered)
      .map(column => {
        const sequence = sql`pg_get_serial_sequence(${name}, ${column.name})`
        return sql`SELECT setval(${sequence}, max(${raw(column.name)})) FROM ${raw(name)}`
      }),
  )
}

function onConflict(table: Table): Statement {
  const others = columnNames(table).filter(name => !table.key.includes(name))
  if (others.length === 0) return sql`ON CONFLICT DO NOTHING`
  return sql`ON CONFLICT (${names(table.key)}) DO UPDATE SET ${raw(
    others.map(name => `${name} = excluded.${name}`).join(', '),
  )}`
}

function slicesOf<T>(items: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  )
}

function columnNames({ columns }: Table): string[] {
  return columns.map(column => column.name)
}

function names(columns: readonly string[]): Statement {
  return raw(columns.join(', '))
}
