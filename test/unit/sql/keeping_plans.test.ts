import { expect, test } from 'vitest'
import { bounded, unabandoned, within } from '../../../src/sql/deadline.ts'
import { type Sql, type Statement, keepingPlans, sql } from '../../../src/sql/port.ts'

/** A PostgreSQL that notes its statements. */
function recording(sent: Statement[]): Sql {
  const note = async (statement: Statement) => {
    sent.push(statement)
    return { rows: [], changes: 0 }
  }
  return {
    dialect: 'postgres',
    timeoutMs: 1000,
    query: note,
    snapshot: statements => Promise.all(statements.map(note)),
    batch: statements => Promise.all(statements.map(note)),
  } as Partial<Sql> as Sql
}

const ask = async ({ sql: db }: { readonly sql: Sql }): Promise<void> => {
  await db.query(sql`SELECT 1`)
  await db.snapshot([sql`SELECT 1`])
  await db.batch([sql`SELECT 1`])
}

test('plans are kept whether a deadline is set, kept or given up before or after', async () => {
  const sent: Statement[] = []
  const deadline = { leftMs: () => 1000 }
  const ledger = { sql: recording(sent), elapsed: () => 0 }
  const keeping = <L extends { readonly sql: Sql }>(given: L): L => ({
    ...given,
    sql: keepingPlans(given.sql),
  })
  const limited = { ...ledger, sql: within(ledger.sql, deadline) }
  await ask(keeping(ledger))
  await ask(keeping(limited))
  await ask(bounded(keeping(ledger)))
  await ask(unabandoned(keeping(limited)))
  await ask(keeping(unabandoned(limited)))
  expect(sent.map(({ isFrequent }) => isFrequent)).toEqual(Array.from({ length: 15 }, () => true))
})
