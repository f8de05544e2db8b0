import { expect } from 'vitest'
import { type Sql, SqlError, type Statement, type Value, rowsOf, sql } from '../../../src/sql/port.ts'

/** A table to try an adapter of the SQL port with. */

export async function withThings(open: () => Promise<Sql>): Promise<Sql> {
  const db = await open()
  await db.batch([
    sql`CREATE TABLE things (
      id TEXT NOT NULL PRIMARY KEY, name TEXT, whole BIGINT, ratio DOUBLE PRECISION CHECK (ratio > -1e6),
      tag TEXT UNIQUE
    )`,
  ])
  return db
}

export function insert(
  id: string,
  { whole = null, name = null }: { whole?: Value; name?: Value } = {},
): Statement {
  return sql`INSERT INTO things (id, name, whole) VALUES (${id}, ${name}, ${whole})`
}

export async function roundTrip(db: Sql, column: 'name' | 'whole' | 'ratio', value: Value): Promise<Value> {
  const name: Statement = { text: column, params: [] }
  await db.batch([sql`INSERT INTO things (id, ${name}) VALUES ('a', ${value})`])
  const [row] = await rowsOf(db, sql`SELECT ${name} AS given FROM things WHERE id = ${'a'}`)
  return row!.given!
}

export async function idsOf(db: Sql): Promise<Value[]> {
  return (await rowsOf(db, sql`SELECT id FROM things ORDER BY id`)).map(row => row.id!)
}

export async function failureOf(attempt: Promise<unknown>): Promise<SqlError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SqlError)
  return error as SqlError
}
