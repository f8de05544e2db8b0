import { type Row, type Sql, SqlError, type Statement, type Value, raw, sql } from '../../sql/port.ts'
import { asNumber, ask, field, inTurn, onlyRow } from '../../sql/query.ts'
import type { Table } from './catalog.ts'
import {
  type Key,
  type PageLimits,
  deleteStatements,
  insertStatements,
  keyOf,
  lastKey,
  nextPage,
  rowsBetween,
  upTo,
} from './rows.ts'

/** Two ledgers of the same schema; only `target` is written. */
export interface Transfer {
  readonly source: Sql
  readonly target: Sql
  readonly limits: PageLimits
  /** Called with the number of rows that a page had. */
  readonly onRows: (table: Table, count: number) => void
}

/**
 * Adds to the target what it lacks of a table that only grows. Rows go in in order of their keys, so all that is
 * there is the beginning; where it isn't, because a writer of the source committed a lower number after a higher
 * one, every page is compared.
 */
export async function appendRows(transfer: Transfer, table: Table): Promise<void> {
  const { source, target, onRows } = transfer
  const there = (await keyRange(target, table)).at(-1)
  let after: Key
  if (there !== undefined) {
    const [has, should] = [await countUpTo(target, table, there), await countUpTo(source, table, there)]
    if (has === should) {
      after = there
      onRows(table, has)
    }
  }
  const isNew = after !== undefined || there === undefined
  for await (const { rows, from, last } of pages(transfer, table, after)) {
    if (rows.length === 0) continue
    const known = isNew ? [] : await rowsBetween(target, table, from, last)
    const keys = new Set(known.map(row => textOf(keyOf(table, row))))
    const missing = rows.filter(row => !keys.has(textOf(keyOf(table, row))))
    await write(target, table, insertStatements(target.dialect, table, missing))
  }
}

/** Makes a table of the target equal to the source's in two passes: rows only it has go, the others are put in. */
export async function matchRows(transfer: Transfer, table: Table, pass: 'remove' | 'put'): Promise<void> {
  const { target } = transfer
  for await (const { rows, from, last } of pages(transfer, table, undefined)) {
    const there = await rowsBetween(target, table, from, last)
    const { wanted, extra } = compareRows(table, rows, there)
    const statements =
      pass === 'remove'
        ? deleteStatements(table, extra)
        : insertStatements(target.dialect, table, wanted, { changing: true })
    await write(target, table, statements)
  }
}

/** Whether a table holds the same rows on both sides. */
export async function sameRows(transfer: Transfer, table: Table): Promise<boolean> {
  for await (const { rows, from, last } of pages(transfer, table, undefined)) {
    const { wanted, extra } = compareRows(table, rows, await rowsBetween(transfer.target, table, from, last))
    if (wanted.length > 0 || extra.length > 0) return false
  }
  return true
}

/**
 * The source's rows behind a key, page by page; the last page is empty and reaches to the end of the table. Rows that are
 * written behind the last meanwhile are left out: a writer may be as quick as this.
 */
async function* pages(
  { source, limits, onRows }: Transfer,
  table: Table,
  start: Key,
): AsyncGenerator<{ rows: readonly Row[]; from: Key; last: Key }> {
  let from = start
  const end = await lastKey(source, table)
  if (end === undefined) {
    yield { rows: [], from, last: undefined }
    return
  }
  for (;;) {
    const page = await nextPage(source, table, { after: from, end, limits })
    if (page === undefined) break
    yield { ...page, from }
    onRows(table, page.rows.length)
    from = page.last
  }
  yield { rows: [], from, last: undefined }
}

/** Rows of the source that the target lacks or has otherwise, and rows that only the target has. */
function compareRows(
  table: Table,
  rows: readonly Row[],
  there: readonly Row[],
): { wanted: Row[]; extra: Row[] } {
  const left = new Map(there.map(row => [textOf(keyOf(table, row)), row]))
  const wanted = rows.filter(row => {
    const key = textOf(keyOf(table, row))
    const same = textOf(left.get(key)) === textOf(row)
    left.delete(key)
    return !same
  })
  return { wanted, extra: [...left.values()] }
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value)
}

async function write(target: Sql, { name }: Table, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return
  await target.batch(statements).catch((error: unknown) => {
    if (!(error instanceof SqlError)) throw error
    const hint =
      error.kind === 'unique'
        ? '; another program writes to it: stop that and run the same command again'
        : ''
    throw new SqlError(error.kind, `${error.message} (table ${name})${hint}`, error)
  })
}

/** The lowest and the highest key of a table whose rows are numbered; none where it has no rows. */
export async function keyRange(db: Sql, { name, key: [column] }: Table): Promise<Value[][]> {
  // One by one: SQLite would read the whole table for both.
  const ends = ['min', 'max'].map(end =>
    onlyRow(sql`SELECT ${raw(`${end}(${column})`)} AS value FROM ${raw(name)}`, ({ value }) => value!),
  )
  return (await ask(db, inTurn(ends))).flatMap(value => (value === null ? [] : [[value]]))
}

async function countUpTo(db: Sql, table: Table, last: Key): Promise<number> {
  const rows = sql`SELECT count(*) AS n FROM ${raw(table.name)} WHERE ${upTo(table, last)}`
  return ask(db, onlyRow(rows, field('n', asNumber)))
}
