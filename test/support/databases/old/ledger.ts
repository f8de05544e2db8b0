import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Table, readTables } from '../../../../src/features/copy/catalog.ts'
import { insertStatements } from '../../../../src/features/copy/rows.ts'
import { continuationStatements } from '../../../../src/features/copy/target.ts'
import { loadMigrations } from '../../../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../../../src/sql/libsql/libsql.ts'
import { migrate } from '../../../../src/sql/migrate.ts'
import { type Migration, type Row, type Sql, type Value, raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { temporaryFolder } from '../ledger.ts'

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
const NOTHING: Rows = { columns: [], rows: [] }
/** What D1 takes in one statement. */
const MOST_PARAMS = 100

/**
 * Makes of an empty database the ledger that 0.1.0 wrote. With `copies` each event is there so many times more, under
 * other run ids; roll-ups are then to be rebuilt.
 */
export async function fillOldLedger(db: Sql, copies = 0): Promise<void> {
  const migrations = loadMigrations(db.dialect).slice(0, OLD_VERSIONS)
  await migrate(db, migrations, () => WRITTEN_AT)
  const tables = await tablesOf(db, migrations)
  await insertAll(db, tables, async ({ name }) => {
    const { columns, rows: once } = OLD[name] ?? NOTHING
    const rows = name === 'run_events' ? multiplied(OLD[name]!, copies) : once
    return rows.map(row => Object.fromEntries(columns.map((column, index) => [column, row[index]!])))
  })
}

/** Makes of an empty D1 database the ledger that is in a SQLite file, which has these migrations. */
export async function copyToD1(file: Sql, d1: Sql, migrations: readonly Migration[]): Promise<void> {
  await migrate(d1, migrations, () => WRITTEN_AT)
  const tables = await tablesOf(file, migrations)
  await insertAll(d1, tables, ({ name }) => rowsOf(file, sql`SELECT * FROM ${raw(name)}`))
}

async function insertAll(
  db: Sql,
  tables: readonly Table[],
  rowsIn: (table: Table) => Promise<Row[]>,
): Promise<void> {
  for (const table of tables) {
    const rows = await rowsIn(table)
    const atOnce = Math.floor(MOST_PARAMS / table.columns.length)
    const statements = Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, index) =>
      insertStatements(db.dialect, table, rows.slice(index * atOnce, (index + 1) * atOnce), {
        changing: !table.appended,
      }),
    ).flat()
    for (let start = 0; start < statements.length; start += 100) {
      await db.batch(statements.slice(start, start + 100))
    }
  }
  await db.batch(continuationStatements(db, tables))
}

/** What tables a database has by these migrations. A file with the same is asked for D1, which tells nobody. */
async function tablesOf(db: Sql, migrations: readonly Migration[]): Promise<Table[]> {
  if (db.dialect === 'postgres') return readTables(db, (await readNames(db)).filter(isData))
  const path = join(temporaryFolder(), 'shape.db')
  const file = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await migrate(file, migrations, () => WRITTEN_AT)
  const tables = await readTables(file, (await readNames(file)).filter(isData))
  await file.close()
  return tables
}

function isData(name: string): boolean {
  return name !== 'schema_migrations' && !name.startsWith('sqlite_')
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
