import { type Sql, type Statement, raw, sql } from './port.ts'

type Dialect = Sql['dialect']

/**
 * The entries of a JSON array as rows, for a FROM clause: `name.value` is one, and `name.value ->> 0` its first part as
 * text.
 */
export function jsonRows(dialect: Dialect, entries: readonly unknown[], name = 'g'): Statement {
  const json = JSON.stringify(entries)
  return dialect === 'postgres'
    ? sql`jsonb_array_elements(${jsonb(json)}) AS ${raw(name)} (value)`
    : sql`json_each(${json}) AS ${raw(name)}`
}

/** Texts as rows, for a FROM clause: `given.value` is one. */
export function jsonTexts(dialect: Dialect, texts: readonly (string | number)[]): Statement {
  const json = JSON.stringify(texts)
  return dialect === 'postgres'
    ? sql`jsonb_array_elements_text(${jsonb(json)}) AS given (value)`
    : sql`json_each(${json}) AS given`
}

/** The fields of a JSON object as rows, for a FROM clause: `given.key` and `given.value`, which `->>` takes apart. */
export function jsonFields(dialect: Dialect, object: Readonly<Record<string, object>>): Statement {
  const json = JSON.stringify(object)
  return dialect === 'postgres' ? sql`jsonb_each(${jsonb(json)}) AS given` : sql`json_each(${json}) AS given`
}

/** The entries of a JSON array in a column as rows, behind CROSS JOIN: `name.value` is one. */
export function columnRows(dialect: Dialect, column: string, name: string): Statement {
  return raw(
    dialect === 'postgres'
      ? `LATERAL jsonb_array_elements(CAST(${column} AS JSONB)) AS ${name} (value)`
      : `json_each(${column}) AS ${name}`,
  )
}

/** The text at a path of a JSON text in a column. */
export function textAt(dialect: Dialect, column: string, path: readonly string[]): Statement {
  return raw(
    dialect === 'postgres'
      ? `CAST(${column} AS JSON) #>> '{${path.join(',')}}'`
      : `${column} ->> '$.${path.join('.')}'`,
  )
}

/**
 * Keeps out who would write to these tables until the batch ends. On PostgreSQL a statement doesn't see what others are
 * writing. SQLite has one writer.
 */
export function lockTables({ dialect }: Pick<Sql, 'dialect'>, tables: string): Statement[] {
  return dialect === 'postgres' ? [raw(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`)] : []
}

/** PostgreSQL takes a parameter for a JSONB value unless a cast says that it is a text. */
function jsonb(json: string): Statement {
  return sql`CAST(CAST(${json} AS TEXT) AS JSONB)`
}
