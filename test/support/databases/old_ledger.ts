import { readFileSync } from 'node:fs'
import { readTables } from '../../../src/ledger/copy/catalog.ts'
import { insertStatements } from '../../../src/ledger/copy/rows.ts'
import { continuationStatements } from '../../../src/ledger/copy/target.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, type Value, rowsOf, sql } from '../../../src/sql/port.ts'

interface Rows {
  readonly columns: string[]
  readonly rows: Value[][]
}

/** Every row of a ledger that version 0.1.0 wrote: prices, a policy, a webhook, 16 events, 3 decisions. */
export const OLD = JSON.parse(
  readFileSync(new URL('ledger_0_1_0.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Rows>>

/** When that was. */
export const WRITTEN_AT = Number(OLD.actions!.rows[0]![OLD.actions!.columns.indexOf('created_at')]!)

const OLD_VERSIONS = 8

/**
 * Makes of an empty database the ledger that 0.1.0 wrote. With `copies` each event is there so many times more, under
 * other run ids; roll-ups are then to be rebuilt.
 */
export async function fillOldLedger(db: Sql, copies = 0): Promise<void> {
  await migrate(db, loadMigrations(db.dialect).slice(0, OLD_VERSIONS), () => WRITTEN_AT)
  const there = new Set((await readNames(db)).filter(name => name in OLD && name !== 'schema_migrations'))
  const tables = await readTables(db, [...there])
  for (const table of tables) {
    const source = OLD[table.name]!
    const { columns } = source
    const rows = table.name === 'run_events' ? multiplied(source, copies) : source.rows
    const objects = rows.map(row => Object.fromEntries(columns.map((column, index) => [column, row[index]!])))
    for (let start = 0; start < objects.length; start += 500) {
      const some = objects.slice(start, start + 500)
      await db.batch(insertStatements(db.dialect, table, some, { changing: !table.appended }))
    }
  }
  await db.batch(continuationStatements(db, tables))
}

function multiplied({ columns, rows }: Rows, copies: number): Value[][] {
  const [seq, run, text] = ['seq', 'run_id', 'event_json'].map(name => columns.indexOf(name)) as [
    number,
    number,
    number,
  ]
  return Array.from({ length: copies + 1 }, (_, copy) =>
    rows.map((row, index) => {
      if (copy === 0) return row
      const run_id = `${String(row[run])}-${copy}`
      const event_json = String(row[text]).replace(`"run_id":"${String(row[run])}"`, `"run_id":"${run_id}"`)
      return row
        .with(seq, copy * rows.length + index + 1)
        .with(run, run_id)
        .with(text, event_json)
    }),
  ).flat()
}

async function readNames(db: Sql): Promise<string[]> {
  const names =
    db.dialect === 'sqlite'
      ? sql`SELECT name FROM sqlite_schema WHERE type = 'table'`
      : sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
  return (await rowsOf(db, names)).map(row => String(row.name))
}
