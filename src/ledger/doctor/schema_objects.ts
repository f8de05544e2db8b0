import { type Migration, type Sql, VERSION_TABLE, rowsOf, sql } from '../../sql/port.ts'

/**
 * Tables, triggers, indexes and functions by kind and name. A table is its columns, its constraints and, in SQLite, last
 * its options; anything else is one text.
 */
export type SchemaObjects = ReadonlyMap<string, readonly string[]>

export interface StoredObjects {
  readonly found: SchemaObjects
  /** What no migration made, and what it is on: `trigger x on run_events`. */
  readonly foreign: readonly string[]
}

/** What migrations leave behind, as their own statements say it. */
export function madeObjects(migrations: readonly Migration[]): SchemaObjects {
  const objects = new Map<string, readonly string[]>()
  for (const statement of [VERSION_TABLE, ...migrations.flatMap(({ statements }) => statements)]) {
    const text = flat(statement.replaceAll(/^--.*$/gm, ''))
    const [, altered, column = ''] = /^ALTER TABLE (\w+) ADD COLUMN (.*)$/.exec(text) ?? []
    if (altered !== undefined) {
      objects.set(`table ${altered}`, withColumn(objects.get(`table ${altered}`)!, column))
      continue
    }
    const [, verb, kind = '', name = '', rest = ''] = OBJECT.exec(text) ?? []
    if (verb === undefined) continue
    const key = keyOf(kind.toLowerCase(), name, / ON (\w+)/.exec(rest)?.[1])
    if (verb === 'DROP') objects.delete(key)
    else objects.set(key, partsOf(text.replace('IF NOT EXISTS ', '')))
  }
  return objects
}

const OBJECT = /^(CREATE|DROP) (?:UNIQUE )?(TABLE|TRIGGER|INDEX|FUNCTION) (?:IF (?:NOT )?EXISTS )?(\w+)(.*)$/

/** In PostgreSQL each table has names of triggers of its own. */
export function keyOf(kind: string, name: string, table: string | undefined): string {
  return kind === 'trigger' ? `trigger ${name} on ${table}` : `${kind} ${name}`
}

/** What a statement defines, in parts. */
function partsOf(statement: string): string[] {
  const text = flat(statement)
  return text.startsWith('CREATE TABLE ') ? itemsOf(text) : [text]
}

/** A text in one line, without blanks beside what parts it anyway: SQLite adds columns to a text as it likes. */
export function flat(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),;]) ?/g, '$1')
    .trim()
}

/** The columns and constraints of a table, and what stands behind them. */
function itemsOf(text: string): string[] {
  const items: string[] = []
  let [depth, start] = [0, text.indexOf('(') + 1]
  for (let at = start; at < text.length && depth >= 0; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth > 0 || (depth === 0 && text[at] !== ',')) continue
    items.push(text.slice(start, at))
    start = at + 1
  }
  return [...items, text.slice(start)]
}

export const TABLE_CONSTRAINT = /^(?:CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\b/

/** A new column comes behind the others: before constraints and options. */
function withColumn(items: readonly string[], column: string): string[] {
  const constraint = items.findIndex(item => TABLE_CONSTRAINT.test(item))
  return items.toSpliced(constraint < 0 ? -1 : constraint, 0, column)
}

/** What a SQLite database has. Its column tbl_name is right however a statement spells the table: a wrong one doesn't load. */
export async function sqliteObjects(db: Sql, made: SchemaObjects): Promise<StoredObjects> {
  const found = new Map<string, readonly string[]>()
  const foreign: string[] = []
  const rows = await rowsOf(
    db,
    sql`SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL`,
  )
  for (const { type, name, tbl_name, sql: statement } of rows) {
    const [key, table] = [keyOf(String(type), String(name), String(tbl_name)), String(tbl_name).toLowerCase()]
    // SQLite writes the beginning of a statement itself.
    const mayChange = type === 'trigger' || String(statement).startsWith('CREATE UNIQUE ')
    if (made.has(key)) found.set(key, partsOf(String(statement)))
    else if (mayChange && made.has(`table ${table}`)) foreign.push(`${type} ${name} on ${table}`)
  }
  return { found, foreign }
}
