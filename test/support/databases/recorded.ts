import { type Sql, type Statement, forPostgres } from '../../../src/sql/port.ts'

/** Texts of all statements that services of this test file have run, by the database that takes them. */
export const RAN = { postgres: new Set<string>(), sqlite: new Set<string>() }

/** The same database; what it runs is noted in {@link RAN}. */
export function recorded<T extends Sql>(db: T): T {
  const note = (...statements: readonly Statement[]): void =>
    statements.forEach(statement => {
      RAN.sqlite.add(statement.text)
      RAN.postgres.add(forPostgres(statement).text)
    })
  const noted = Object.create(db, Object.getOwnPropertyDescriptors(db)) as T
  return Object.assign(noted, {
    query: (statement: Statement, ...more: []) => (note(statement), db.query(statement, ...more)),
    snapshot: (statements: readonly Statement[], ...more: []) => (
      note(...statements),
      db.snapshot(statements, ...more)
    ),
    batch: (statements: readonly Statement[], ...more: []) => (
      note(...statements),
      db.batch(statements, ...more)
    ),
  })
}
