import { isoTime } from '../base/time.ts'
import {
  type BatchOptions,
  type CallOptions,
  type Result,
  type Row,
  type Sql,
  type Statement,
  type Value,
  join,
  raw,
  sql,
} from './port.ts'

/** Statements that one snapshot or one batch carries out, and what their results say. */
export interface Query<T> {
  readonly statements: readonly Statement[]
  /** Gets the results of the statements, in their order. */
  readonly read: (results: readonly Result[]) => T
}

/** Every row of a statement. */
export function allRows<T>(statement: Statement, read: (row: Row) => T): Query<T[]> {
  return { statements: [statement], read: ([result]) => result!.rows.map(row => read(row)) }
}

/** The first row of a statement; undefined where it has none. */
export function firstRow<T>(statement: Statement, read: (row: Row) => T): Query<T | undefined> {
  return {
    statements: [statement],
    read: ([result]) => {
      const row = result!.rows[0]
      return row === undefined ? undefined : read(row)
    },
  }
}

/** The row of a statement that always has one. */
export function onlyRow<T>(statement: Statement, read: (row: Row) => T): Query<T> {
  return { statements: [statement], read: ([result]) => read(result!.rows[0]!) }
}

/** Whether a statement has a row. */
export function hasRow(statement: Statement): Query<boolean> {
  return { statements: [statement], read: ([result]) => result!.rows.length > 0 }
}

/** True where a query says true, undefined otherwise. */
export function whereDone(query: Query<boolean>): Query<true | undefined> {
  return mapped(query, isDone => (isDone ? true : undefined))
}

/** How many rows a statement inserts, updates or deletes. */
export function changesOf(statement: Statement): Query<number> {
  return { statements: [statement], read: ([result]) => result!.changes }
}

/** Repeats a statement that removes some rows until it finds none, and says how many went. */
export async function removeAll(
  db: Sql,
  some: Statement,
  pace: <T>(batch: () => Promise<T>) => Promise<T>,
): Promise<number> {
  for (let removed = 0; ;) {
    const gone = await pace(() => write(db, changesOf(some)))
    if (gone === 0) return removed
    removed += gone
  }
}

/** Statements whose results nobody reads. */
export function unread(statements: readonly Statement[]): Query<undefined> {
  return { statements, read: () => undefined }
}

/** A query that needs no statement. */
export const NOTHING: Query<undefined> = unread([])

/** What a query says. */
export type AnswerOf<Q> = Q extends Query<infer T> ? T : undefined

type Queries = Readonly<Record<string, Query<unknown> | undefined>>

/** What the queries of a record say, by the same names. */
type Answers<Q extends Queries> = {
  readonly [Name in keyof Q]: AnswerOf<Q[Name]>
}

/** Several queries as one; a query that is undefined answers undefined. */
export function together<Q extends Queries>(queries: Q): Query<Answers<Q>> {
  const names = Object.keys(queries)
  const all = inTurn(Object.values(queries).map(query => query ?? NOTHING))
  return mapped(
    all,
    answers => Object.fromEntries(answers.map((answer, index) => [names[index], answer])) as Answers<Q>,
  )
}

/** Several queries as one, whose answers are a list in the same order. */
export function inTurn<T>(queries: readonly Query<T>[]): Query<T[]> {
  return {
    statements: queries.flatMap(({ statements }) => statements),
    read: results => {
      let at = 0
      return queries.map(({ statements, read }) => read(results.slice(at, (at += statements.length))))
    },
  }
}

/** A query among statements whose results nobody reads. */
export function among<T>(
  before: readonly Statement[],
  { statements, read }: Query<T>,
  after: readonly Statement[] = [],
): Query<T> {
  return {
    statements: [...before, ...statements, ...after],
    read: results => read(results.slice(before.length, before.length + statements.length)),
  }
}

/** Reads a query; several statements see the same state of the database. */
export async function ask<T>(
  db: Pick<Sql, 'query' | 'snapshot'>,
  { statements, read }: Query<T>,
  options?: CallOptions,
): Promise<T> {
  const [first, ...others] = statements
  if (first === undefined) return read([])
  return read(others.length === 0 ? [await db.query(first, options)] : await db.snapshot(statements, options))
}

/** Carries out a query that writes: all of its statements or none. */
export async function write<T>(
  db: Pick<Sql, 'batch'>,
  { statements, read }: Query<T>,
  options?: BatchOptions,
): Promise<T> {
  return read(await db.batch(statements, options))
}

/** The names in a list of columns. */
export function columnsOf({ text }: Statement): string[] {
  return text.split(/,\s+/)
}

/** Puts a row into a table where a guard lets it through. */
export function insertRow(table: string, row: Row, guard: Statement): Statement {
  return sql`INSERT INTO ${raw(`${table} (${Object.keys(row).join(', ')})`)}
    SELECT ${join(Object.values(row).map(typed), ', ')} WHERE ${guard}`
}

/** PostgreSQL takes a parameter for a text unless the statement says what it is. Numbers are whole ones. */
export function typed(value: Value): Statement {
  if (value === null) return raw('NULL')
  return typeof value === 'number' ? sql`CAST(${value} AS BIGINT)` : sql`CAST(${value} AS TEXT)`
}

/** D1 binds at most 100 parameters. */
const KEYS_PER_STATEMENT = 90

/** Bound values with commas between them, as IN takes them; at least one. */
export function listed(values: readonly Value[]): Statement {
  return join(
    values.map(value => sql`${value}`),
    ', ',
  )
}

/** The rows of keys, however many: `statementOf` gets some of them, as a list for IN. Not one snapshot. */
export async function rowsOfKeys<T>(
  db: Pick<Sql, 'query'>,
  keys: readonly string[],
  statementOf: (listed: Statement) => Statement,
  read: (row: Row) => T,
): Promise<T[]> {
  const rows: T[] = []
  for (let from = 0; from < keys.length; from += KEYS_PER_STATEMENT) {
    const { rows: found } = await db.query(statementOf(listed(keys.slice(from, from + KEYS_PER_STATEMENT))))
    rows.push(...found.map(row => read(row)))
  }
  return rows
}

/** A query whose answer is worked out from that of another. */
export function mapped<T, U>({ statements, read }: Query<T>, to: (answer: T) => U): Query<U> {
  return { statements, read: results => to(read(results)) }
}

/**
 * The rows of the same statement for each of a few keys, at most five, read by one statement: those of a key are in the order of
 * these columns.
 */
export function rowsOfEach<K, T>(
  keys: readonly K[],
  of: (key: K) => Statement,
  order: string,
  read: (row: Row) => T,
): Query<T[][]> {
  const selects = keys.map(
    (key, index) =>
      sql`SELECT ${raw(`${index} AS part, k${index}.*`)} FROM (${of(key)}) AS ${raw(`k${index}`)}`,
  )
  const statement = sql`${join(selects, ' UNION ALL ')} ORDER BY ${raw(`part, ${order}`)}`
  return {
    statements: [statement],
    read: ([result]) => {
      const parts = Map.groupBy(result!.rows, row => asNumber(row.part))
      return keys.map((_, index) => (parts.get(index) ?? []).map(row => read(row)))
    },
  }
}

const SIDES = ['baseline', 'candidate'] as const

/** The same of the baseline and the candidate. */
export function rowsOfSides<T>(
  of: (side: (typeof SIDES)[number]) => Statement,
  order: string,
  read: (row: Row) => T,
) {
  return mapped(rowsOfEach(SIDES, of, order, read), sidesOf)
}

/** What is of the baseline and of the candidate. */
export function sidesOf<T>([baseline, candidate]: readonly T[]) {
  return { baseline: baseline!, candidate: candidate! }
}

/** The same query of the baseline and the candidate. */
export function ofSides<T>(of: (side: 'baseline' | 'candidate') => Query<T>) {
  return together({ baseline: of('baseline'), candidate: of('candidate') })
}

/** Reads the value of a column. Throws where it is of another kind: a statement and its readers have to agree. */
type Column<T> = (value: Value | undefined) => T

/** A text; `T` says which ones there are. */
export function asText<T extends string = string>(value: Value | undefined): T {
  if (typeof value !== 'string') throw new TypeError(`a text is expected, not ${value}`)
  return value as T
}

export function asNumber(value: Value | undefined): number {
  if (typeof value !== 'number') throw new TypeError(`a number is expected, not ${value}`)
  return value
}

/** 1 or 0 as a boolean. */
export function asFlag(value: Value | undefined): boolean {
  return asNumber(value) === 1
}

/** Epoch milliseconds as an ISO-8601 timestamp. */
export function asTime(value: Value | undefined): string {
  return isoTime(asNumber(value))
}

/** A row as it is, for what is hashed, copied or compared column by column. */
export function asRow(row: Row): Row {
  return row
}

/** What a JSON text says. */
export function asJson<T>(value: Value | undefined): T {
  return JSON.parse(asText(value)) as T
}

/** A column that may be NULL; what a join did not find is NULL too. */
export function orNull<T>(read: Column<T>): Column<T | null> {
  return function readOrNull(value) {
    return value === null || value === undefined ? null : read(value)
  }
}

/** The value of one column of a row. */
export function field<T>(name: string, read: Column<T>): (row: Row) => T {
  const readRow = columns({ [name]: read })
  return row => readRow(row)[name]!
}

type Columns = Readonly<Record<string, Column<unknown>>>

/** What the columns of a row say, by their names. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ReturnType<C[Name]> }

/** Reads a row by a table of its columns. Throws, naming the column, where one is missing or of another kind. */
export function columns<C extends Columns>(readers: C): (row: Row) => RowOf<C> {
  const entries = Object.entries(readers)
  return function readRow(row) {
    const read: Record<string, unknown> = {}
    let at = ''
    try {
      for (const [name, reader] of entries) {
        at = name
        read[name] = reader(row[name])
      }
    } catch (error) {
      throw new TypeError(`column ${at}: ${(error as Error).message}`, { cause: error })
    }
    return read as RowOf<C>
  }
}
