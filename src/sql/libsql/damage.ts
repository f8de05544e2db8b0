import type { FileConnection } from './file_connection.ts'
import { raw, sql } from '../port.ts'

/**
 * What is wrong with the file of a database: its pages by SQLite's own check
 * (sqlite.org/pragma.html#pragma_integrity_check), and texts that are no UTF-8. Those it takes for whole, but the driver
 * ends the process where it reads one, so nothing is read as text here.
 */
export function damageOf(connection: FileConnection): string[] {
  const pages = pageDamage(connection)
  return pages.length > 0 ? pages : textDamage(connection)
}

const MOST_PROBLEMS = 20

function pageDamage(connection: FileConnection): string[] {
  const { rows } = connection.execute(
    sql`SELECT CAST(integrity_check AS BLOB) AS said FROM pragma_integrity_check(${MOST_PROBLEMS})`,
  )
  const said = rows.map(row => lossyText(row.said)).filter(text => text !== 'ok')
  if (said.length === 0) return []
  // It numbers a table or index by its first page.
  const { rows: roots } = connection.execute(
    sql`SELECT CAST(name AS BLOB) AS name, CAST(rootpage AS INTEGER) AS root FROM sqlite_schema`,
  )
  const names = new Map(roots.map(({ name, root }) => [`${Number(root)}`, lossyText(name)]))
  return said.map(text => text.replace(/^Tree (\d+)/, (tree, root: string) => names.get(root) ?? tree))
}

/** Anything but ASCII, in SQLite's own pattern. */
const NOT_ASCII = `*[^\u0001-\u007F]*`
const AT_ONCE = 500

function textDamage(connection: FileConnection): string[] {
  const { rows } = connection.execute(sql`SELECT t.name AS tab, c.name AS col, t.wr AS without_rowid
    FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND c.type = 'TEXT'`)
  const problems: string[] = []
  for (const row of rows) {
    const [table, column] = [row.tab as string, row.col as string]
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
