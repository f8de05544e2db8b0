import { type Sql, type Statement, rowsOf, sql } from '../../../../src/sql/port.ts'

/** Changes a table as somebody would who owns the database: its triggers are off meanwhile. */
export async function tamper(db: Sql, table: string, ...statements: readonly Statement[]): Promise<void> {
  const raw = (text: string): Statement => ({ text, params: [] })
  if (db.dialect === 'postgres') {
    await db.batch([
      raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`),
      ...statements,
      raw(`ALTER TABLE ${table} ENABLE TRIGGER USER`),
    ])
    return
  }
  const triggers = await rowsOf(
    db,
    sql`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ${table}`,
  )
  await db.batch([
    ...triggers.map(({ name }) => raw(`DROP TRIGGER ${name}`)),
    ...statements,
    ...triggers.map(trigger => raw(String(trigger.sql))),
  ])
}

/** The same database, to which `when` happens once, behind the first batch that holds `text`, and its answer is lost. */
export function losingAnswer(db: Sql, text: string, when: () => Promise<unknown>, lost: () => Error): Sql {
  let isLost = false
  return {
    ...db,
    batch: async statements => {
      const results = await db.batch(statements)
      if (isLost || !statements.some(statement => statement.text.includes(text))) return results
      isLost = true
      await when()
      throw lost()
    },
  }
}

/** The same database, where `when` happens once, before the first batch that holds `text`. */
export function overtaken(db: Sql, text: string, when: () => Promise<unknown>): Sql {
  let isOver = false
  return {
    ...db,
    batch: async (statements, options) => {
      const isIt = !isOver && statements.some(statement => statement.text.includes(text))
      isOver ||= isIt
      if (isIt) await when()
      return db.batch(statements, options)
    },
  }
}
