import { isoTime } from '../base/time.ts'
import type { Result, Row, Sql, Statement, Value } from './port.ts'

/** Statements that one snapshot reads, and what their results say. */
export interface Query<T> {
  readonly statements: readonly Statement[]
  /** Gets the results of the statements, in their order. */
  readonly read: (results: readonly Result[]) => T
}

/** Every row of a statement. */
export function allRows(statement: Statement): Query<Row[]>
export function allRows<T>(statement: Statement, read: (row: Row) => T): Query<T[]>
export function allRows(statement: Statement, read: (row: Row) => unknown = row => row): Query<unknown[]> {
  return { statements: [statement], read: ([result]) => result!.rows.map(row => read(row)) }
}

/** The first row of a statement; undefined where it has none. */
export function firstRow(statement: Statement): Query<Row | undefined>
export function firstRow<T>(statement: Statement, read: (row: Row) => T): Query<T | undefined>
export function firstRow(statement: Statement, read: (row: Row) => unknown = row => row): Query<unknown> {
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

/** What a query says. */
type AnswerOf<Q> = Q extends Query<infer T> ? T : undefined

type Queries = Readonly<Record<string, Query<unknown> | undefined>>

/** What the queries of a record say, by the same names. */
export type Answers<Q extends Queries> = {
  readonly [Name in keyof Q]: AnswerOf<Q[Name]>
}

/** Several queries as one; a query that is undefined is not asked, and answers undefined. */
export function together<Q extends Queries>(queries: Q): Query<Answers<Q>> {
  const asked = Object.entries(queries)
  return {
    statements: asked.flatMap(([, query]) => query?.statements ?? []),
    read: results => {
      let at = 0
      const answers = asked.map(([name, query]) => [
        name,
        query?.read(results.slice(at, (at += query.statements.length))),
      ])
      return Object.fromEntries(answers) as Answers<Q>
    },
  }
}

/** Reads a query in one snapshot. */
export async function ask<T>(db: Pick<Sql, 'snapshot'>, { statements, read }: Query<T>): Promise<T> {
  return read(await db.snapshot(statements))
}

/** A query whose answer is worked out from that of another. */
export function mapped<T, U>({ statements, read }: Query<T>, to: (answer: T) => U): Query<U> {
  return { statements, read: results => to(read(results)) }
}

/** The same query of the baseline and the candidate. */
export function ofSides<T>(of: (side: 'baseline' | 'candidate') => Query<T>) {
  return together({ baseline: of('baseline'), candidate: of('candidate') })
}

/** Reads the value of a column. Throws where it is of another kind: a statement and its readers have to agree. */
export type Column<T> = (value: Value | undefined) => T

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

type Columns = Readonly<Record<string, Column<unknown>>>

/** What the columns of a row say, by their names. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ReturnType<C[Name]> }

/** Reads a row by a table of its columns. Throws, naming the column, where one is missing or of another kind. */
export function columns<C extends Columns>(readers: C): (row: Row) => RowOf<C> {
  const entries = Object.entries(readers)
  return function readRow(row) {
    const read: Record<string, unknown> = {}
    for (const [name, reader] of entries) {
      try {
        read[name] = reader(row[name])
      } catch (error) {
        throw new TypeError(`column ${name}: ${(error as Error).message}`, { cause: error })
      }
    }
    return read as RowOf<C>
  }
}

/** A column that may be NULL, read by `read` where it is not; what a join did not find counts as NULL. */
export function nullable<T>(value: Value | undefined, read: (value: NonNullable<Value>) => T): T | null {
  return value === null || value === undefined ? null : read(value)
}
