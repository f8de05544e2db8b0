import type { FileConnection } from './file_connection.ts'
import { type Damage, raw, sql } from '../port.ts'

/**
 * What is wrong with a part of the file of a database: its pages by SQLite's own check of one table and its indexes
 * (sqlite.org/pragma.html#pragma_integrity_check), and texts that are no UTF-8. Those it takes for whole, but the driver
 * ends the process where it reads one, so nothing is read as text here. The first part is the schema and the pages that are
 * free, each other one a table: a reader of all at once would keep the log from being emptied for as long.
 */
export function damageOf(connection: FileConnection, part: number): Damage {
  const trees = treesOf(connection)
  const tables = ['sqlite_schema', ...trees.flatMap(({ name, isTable }) => (isTable ? [name] : []))]
  const table = tables[part]!
  const pages = pageDamage(connection, table, trees)
  return { parts: tables.length, found: pages.length > 0 ? pages : textDamage(connection, table) }
}

const MOST_PROBLEMS = 20

/** A table or index, by its first page. */
interface Tree {
  readonly name: string
  readonly root: number
  readonly isTable: boolean
}

function treesOf(connection: FileConnection): Tree[] {
  const { rows } = connection.execute(
    sql`SELECT CAST(name AS BLOB) AS name, CAST(rootpage AS INTEGER) AS root, CAST(type AS BLOB) AS type
      FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage`,
  )
  return rows.map(({ name, root, type }) => ({
    name: lossyText(name),
    root: Number(root),
    isTable: lossyText(type) === 'table',
  }))
}

function pageDamage(connection: FileConnection, table: string, trees: readonly Tree[]): string[] {
  const { rows } = connection.execute(
    sql`SELECT CAST(integrity_check AS BLOB) AS said FROM pragma_integrity_check(${table}) LIMIT ${MOST_PROBLEMS}`,
  )
  const said = rows.map(row => lossyText(row.said)).filter(text => text !== 'ok')
  // It numbers a table or index by its first page.
  const names = new Map(trees.map(({ name, root }) => [`${root}`, name]))
  return said.map(text => text.replace(/^Tree (\d+)/, (tree, root: string) => names.get(root) ?? tree))
}

/** Anything but ASCII, in SQLite's own pattern. */
const NOT_ASCII = `*[^\u0001-\u007F]*`
const AT_ONCE = 500

function textDamage(connection: FileConnection, table: string): string[] {
  if (table.startsWith('sqlite')) return []
  const { rows } = connection.execute(sql`SELECT c.name AS col, t.wr AS without_rowid
    FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' AND t.name = ${table} AND c.type = 'TEXT'`)
  const problems: string[] = []
  for (const row of rows) {
    const column = row.col as string
    if (hasBadText(connection, table, column, row.without_rowid === 0)) {
      problems.push(`a text of ${table}.${column} is not UTF-8`)
    }
  }
  return problems
}

function hasBadText(connection: FileConnection, table: string, column: string, hasRowid: boolean): boolean {
  const text = raw(`CAST("${column}" AS BLOB) AS text`)
  const from = raw(`"${table}"`)
  const where = sql`${raw(`"${column}"`)} GLOB ${NOT_ASCII}`
  if (!hasRowid) {
    const { rows } = connection.execute(sql`SELECT ${text} FROM ${from} WHERE ${where}`)
    return rows.some(row => !isUtf8(row.text))
  }
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const { rows } = connection.execute(
      sql`SELECT rowid AS id, ${text} FROM ${from} WHERE rowid > ${after} AND ${where} ORDER BY rowid LIMIT ${AT_ONCE}`,
    )
    if (rows.some(row => !isUtf8(row.text))) return true
    if (rows.length < AT_ONCE) return false
    after = Number(rows.at(-1)!.id)
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
