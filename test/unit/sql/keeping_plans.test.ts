import { expect, test } from 'vitest'
import { bounded, unabandoned, within, keepingPlans } from '../../../src/sql/deadline.ts'
import { type CallOptions, type Sql, sql } from '../../../src/sql/port.ts'

/** A database that notes the options of its calls. */
function recording(sent: CallOptions[]): Sql {
  const note = async (_statements: unknown, options: CallOptions = {}): Promise<never[]> => {
    sent.push(options)
    return []
  }
  return {
    dialect: 'postgres',
    options: { timeoutMs: 1000 },
    query: async (statement, options) => (await note(statement, options), { rows: [], changes: 0 }),
    snapshot: note,
    batch: note,
  } as Partial<Sql> as Sql
}

const ask = async ({ sql: db }: { readonly sql: Sql }): Promise<void> => {
  await db.query(sql`SELECT 1`)
  await db.snapshot([sql`SELECT 1`])
  await db.batch([sql`SELECT 1`])
}

test('plans are kept whether a deadline is set, kept or given up before or after', async () => {
  const sent: CallOptions[] = []
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
  expect(sent.map(({ keepsPlans }) => keepsPlans)).toEqual(Array.from({ length: 15 }, () => true))
})
