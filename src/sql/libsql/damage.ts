import type { FileConnection } from './file_connection.ts'
import { type Damage, type Row, type Statement, join, raw, sql } from '../port.ts'

/**
 * What is wrong with a part of the file of a database: its pages by SQLite's own check of one table and its indexes
 * (sqlite.org/pragma.html#pragma_integrity_check), and texts that are no UTF-8. Those it takes for whole, but the driver
 * ends the process where it reads one, so nothing is read as text here. The first part is the schema and the pages that are
 * free, each other one a table: a reader of all at once would keep the log from being emptied for as long.
 */
export function damageOf(connection: FileConnection, part: number): Damage {
  const tables = ['sqlite_schema', ...tablesOf(connection)]
  const table = tables[part]!
  const pages = pageDamage(connection, table)
  return { parts: tables.length, found: pages.length > 0 ? pages : textDamage(connection, table) }
}

const MOST_PROBLEMS = 20

function tablesOf(connection: FileConnection): string[] {
  const { rows } = connection.execute(
    sql`SELECT CAST(name AS BLOB) AS name FROM sqlite_schema WHERE rootpage > 0 AND type = 'table' ORDER BY rootpage`,
  )
  return rows.map(({ name }) => lossyText(name))
}

function pageDamage(connection: FileConnection, table: string): string[] {
  const { rows } = connection.execute(
    sql`SELECT CAST(integrity_check AS BLOB) AS said FROM pragma_integrity_check(${table}) LIMIT ${MOST_PROBLEMS}`,
  )
  const said = rows.map(row => lossyText(row.said)).filter(text => text !== 'ok')
  if (said.length === 0) return []
  // It numbers a table or index by its first page.
  const names = namesByPage(connection)
  return said.map(text => text.replace(/^Tree (\d+)/, (tree, root: string) => names.get(root) ?? tree))
}

function namesByPage(connection: FileConnection): Map<string, string> {
  const { rows } = connection.execute(
    sql`SELECT CAST(name AS BLOB) AS name, CAST(rootpage AS INTEGER) AS root FROM sqlite_schema WHERE rootpage > 0`,
  )
  return new Map(rows.map(({ name, root }) => [`${Number(root)}`, lossyText(name)]))
}

/** Anything but ASCII, in SQLite's own pattern. */
const NOT_ASCII = `*[^\u0001-\u007F]*`
const AT_ONCE = 500

function textDamage(connection: FileConnection, table: string): string[] {
  if (table.startsWith('sqlite')) return []
  const { rows } = connection.execute(sql`SELECT c.name AS col, t.wr AS without_rowid
    FROM pragma_table_list(${table}) AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' AND c.type = 'TEXT'`)
  if (rows.length === 0) return []
  const columns = rows.map(row => String(row.col))
  const bad = badTexts(connection, table, columns, rows[0]!.without_rowid === 0)
  return columns.filter(column => bad.has(column)).map(column => `a text of ${table}.${column} is not UTF-8`)
}

/** The columns of a table that hold a text that is not UTF-8. One statement reads them all. */
function badTexts(
  connection: FileConnection,
  table: string,
  columns: readonly string[],
  hasRowid: boolean,
): ReadonlySet<string> {
  const bad = new Set<string>()
  const isStrange = (column: string): Statement => sql`${raw(`"${column}"`)} GLOB ${NOT_ASCII}`
  const texts = columns.map(
    column =>
      sql`CASE WHEN ${isStrange(column)} THEN CAST(${raw(`"${column}"`)} AS BLOB) END AS ${raw(`"${column}"`)}`,
  )
  const [selected, where] = [join(texts, ', '), join(columns.map(isStrange), ' OR ')]
  const from = raw(`"${table}"`)
  const note = (rows: readonly Row[]): void => {
    for (const row of rows) {
      for (const column of columns) if (row[column] !== null && !isUtf8(row[column])) bad.add(column)
    }
  }
  if (!hasRowid) {
    note(connection.execute(sql`SELECT ${selected} FROM ${from} WHERE ${where}`).rows)
    return bad
  }
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const { rows } = connection.execute(
      sql`SELECT rowid AS "a rowid", ${selected} FROM ${from}
        WHERE rowid > ${after} AND (${where}) ORDER BY rowid LIMIT ${AT_ONCE}`,
    )
    note(rows)
    if (rows.length < AT_ONCE || bad.size === columns.length) return bad
    after = Number(rows.at(-1)!['a rowid'])
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

function isUtf8(bytes: unknown): boolean {
  try {
    strict.decode(bytes as Uint8Array)
    return true
  } catch {
    return false
  }
}

function lossyText(bytes: unknown): string {
  return new TextDecoder().decode(bytes as Uint8Array)
}
