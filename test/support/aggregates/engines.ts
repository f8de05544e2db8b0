import { createRequire } from 'node:module'
import { join } from 'node:path'
import postgres from 'postgres'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { inVenv, npmPackages, pythonPackages, run } from '../../../tools/proofs/packages.ts'
import { temporaryDatabase } from '../databases/postgres.ts'

/** The statements that make a table in an engine, and its rows. */
export interface EngineTable {
  readonly name: string
  /** Its columns, in the engine's own words. */
  readonly columns: string
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** What of DuckDB's package is used. */
interface DuckDb {
  readonly DuckDBInstance: {
    create: (path: string) => Promise<{
      connect: () => Promise<{
        run: (text: string) => Promise<unknown>
        runAndReadAll: (text: string) => Promise<{ getRows: () => unknown[][] }>
        closeSync: () => void
      }>
    }>
  }
}

/** Makes tables in an engine, and gives the rows of the queries as JSON lines. */
type Engine = (tables: readonly EngineTable[], queries: readonly string[]) => Promise<string>

export const runPostgres: Engine = async (tables, queries) => {
  const client = postgres(await temporaryDatabase(), { max: 1, onnotice: () => {} })
  try {
    for (const { name, columns, rows } of tables) {
      await client.unsafe(`CREATE TEMPORARY TABLE ${name} (${columns})`)
      for (let at = 0; at < rows.length; at += 500)
        await client`INSERT INTO ${client(name)} ${client(rows.slice(at, at + 500))}`
    }
    const lines: string[] = []
    for (const query of queries) {
      const found = await client.unsafe<{ row_to_json: unknown }[]>(query)
      lines.push(...found.map(row => JSON.stringify(row.row_to_json)))
    }
    return lines.join('\n')
  } finally {
    await client.end()
  }
}

export const runDuckDb: Engine = async (tables, queries) => {
  const folder = npmPackages('duckdb', ['@duckdb/node-api@1.5.6-r.1'])
  const { DuckDBInstance } = createRequire(join(folder, 'package.json'))('@duckdb/node-api') as DuckDb
  const db = await (await DuckDBInstance.create(':memory:')).connect()
  try {
    for (const { name, columns, rows } of tables) {
      await db.run(`CREATE TABLE ${name} (${columns})`)
      const names = Object.keys(rows[0]!).join(', ')
      for (let at = 0; at < rows.length; at += 500) {
        const values = rows.slice(at, at + 500).map(row => `(${Object.values(row).map(literal).join(', ')})`)
        await db.run(`INSERT INTO ${name} (${names}) VALUES ${values.join(', ')}`)
      }
    }
    const lines: string[] = []
    for (const query of queries) {
      const found = await db.runAndReadAll(`SELECT CAST(to_json(q) AS VARCHAR) FROM (${query}) AS q`)
      lines.push(...found.getRows().map(([line]) => String(line)))
    }
    return lines.join('\n')
  } finally {
    db.closeSync()
  }
}

export const runClickHouse: Engine = (tables, queries) => {
  const folder = pythonPackages('chdb', ['chdb==4.4.0'])
  const statements = tables.flatMap(({ name, columns, rows }) => [
    `CREATE TABLE ${name} (${columns})`,
    `INSERT INTO ${name} FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`,
  ])
  const input = JSON.stringify({ statements, queries })
  const script = join(ROOT_PATH, 'tools/proofs/clickhouse.py')
  return Promise.resolve(run(inVenv(folder, 'python'), [script], { cwd: folder, input }))
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
