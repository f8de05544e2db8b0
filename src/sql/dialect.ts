import { type DatabaseClock, type Sql, type Statement, type Value, forPostgres, raw, sql } from './port.ts'

/** A statement, or a part of one, that each database writes in its own way. */
export function either(sqlite: Statement, postgres: () => Statement): Statement {
  return { ...sqlite, postgres: () => forPostgres(postgres()) }
}

/** The same of texts of ours. */
export function eitherText(sqlite: string, postgres: string): Statement {
  return either(raw(sqlite), () => raw(postgres))
}

/** The clock of SQLite, which is the machine's, and of PostgreSQL, which moves within a transaction. */
export const CLOCK = eitherText(
  "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
)

/** That of a file on this machine. */
export const LOCAL_CLOCK: DatabaseClock = { ...CLOCK, isLocal: true }

/**
 * The entries of a JSON array as rows, for a FROM clause: `name.value` is one, and `name.value ->> 0` its first part as
 * text.
 */
export function jsonRows(entries: readonly unknown[], name = 'g'): Statement {
  const json = JSON.stringify(entries)
  return either(
    sql`json_each(${json}) AS ${raw(name)}`,
    () => sql`jsonb_array_elements(${jsonb(json)}) AS ${raw(name)} (value)`,
  )
}

/** Texts as rows, for a FROM clause: `given.value` is one. */
export function jsonTexts(texts: readonly (string | number)[]): Statement {
  const json = JSON.stringify(texts)
  return either(
    sql`json_each(${json}) AS given`,
    () => sql`jsonb_array_elements_text(${jsonb(json)}) AS given (value)`,
  )
}

/** The fields of a JSON object as rows, for a FROM clause: `given.key` and `given.value`, which `->>` takes apart. */
export function jsonFields(object: Readonly<Record<string, object>>): Statement {
  const json = JSON.stringify(object)
  return either(sql`json_each(${json}) AS given`, () => sql`jsonb_each(${jsonb(json)}) AS given`)
}

/** The entries of a JSON array in a column as rows, behind CROSS JOIN: `name.value` is one. */
export function columnRows(column: Statement, name: string): Statement {
  return either(
    sql`json_each(${column}) AS ${raw(name)}`,
    () => sql`LATERAL jsonb_array_elements(CAST(${column} AS JSONB)) AS ${raw(name)} (value)`,
  )
}

/** The text at a path of a JSON text in a column. */
export function textAt(column: string, path: readonly string[]): Statement {
  return eitherText(
    `${column} ->> '$.${path.join('.')}'`,
    `CAST(${column} AS JSON) #>> '{${path.join(',')}}'`,
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

/**
 * Values as an array of PostgreSQL, which reads it from text (PostgreSQL, 8.15.6). JSON quotes as arrays do, but for
 * characters that it names by a letter or a number: those mean themselves there.
 */
export function arrayOf(type: 'BIGINT' | 'TEXT', values: readonly Value[]): Statement {
  const quoted = JSON.stringify(values).slice(1, -1)
  const listed = NAMED_CHARACTER.test(quoted) ? values.map(quotedAsItIs).join(',') : quoted
  return sql`CAST(CAST(${`{${listed}}`} AS TEXT) AS ${raw(type)}[])`
}

/** A backslash, itself not behind one, before what is neither a backslash nor a quote. */
const NAMED_CHARACTER = /(?<!\\)(?:\\\\)*\\[^"\\]/

function quotedAsItIs(value: Value): string {
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : String(value)
}
