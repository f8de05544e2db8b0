import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import postgres from 'postgres'
import { type EventRow, NO_IDS, ingestQuery } from '../../src/ledger/events/ingest_sql.ts'
import { further } from '../event_rows.ts'
import { openLibsqlWorker } from '../../src/sql/libsql/worker.ts'
import { WRITER_PRAGMAS } from '../../src/sql/libsql/libsql.ts'
import { type Sql, forPostgres } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { startEmbedded } from '../../test/support/databases/embedded_postgres.ts'

/** A database to fill, through the ledger and, beside it, through nothing but the driver. */
export interface GrowthDatabase {
  readonly name: string
  readonly sql: Sql
  readonly writers: number
  /** Sends what the ledger would send for these rows. */
  bare(rows: readonly EventRow[]): Promise<void>
  /** Does what time would do to a database of this size, and returns its bytes on disk. */
  settle(): Promise<number>
  close(): Promise<void>
}

/** Chunks in flight at a time: while one is written, the next is read and validated. */
const WRITERS = 4

/** A file as `svc serve` opens it, in a thread of its own: WAL, synchronous=NORMAL, one writer. */
export async function growthSqlite(): Promise<GrowthDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const path = join(folder, 'ledger.db')
  const sql = await openLibsqlWorker({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await sql.batch([{ text: 'SELECT 1', params: [] }])
  const driver = createClient({ url: pathToFileURL(path).href, concurrency: 1 })
  for (const pragma of WRITER_PRAGMAS) await driver.execute(pragma)
  return {
    name: 'SQLite',
    sql,
    writers: WRITERS,
    bare: async rows => {
      const { statements } = ingestQuery({ dialect: 'sqlite' }, rows, NO_IDS, { further })
      await driver.batch(
        statements.map(({ text, params }) => ({ sql: text, args: [...params] })),
        'write',
      )
    },
    settle: async () => {
      await driver.execute('PRAGMA wal_checkpoint(TRUNCATE)')
      return (await stat(path)).size
    },
    close: async () => {
      driver.close()
      await sql.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A server of its own with PostgreSQL's default settings, fsync and 128 MB of shared buffers among them. */
export async function growthPostgres(): Promise<GrowthDatabase> {
  const server = await startEmbedded([])
  const sql = openPostgres({ url: `${server.url}?max=${WRITERS}` })
  const driver = postgres(server.url, { max: WRITERS, onnotice: () => {}, fetch_types: false })
  const size = async (): Promise<number> => {
    const [row] = await driver`SELECT pg_database_size(current_database()) AS bytes`
    return Number(row!.bytes)
  }
  const empty = await size()
  return {
    name: 'PostgreSQL',
    sql,
    writers: WRITERS,
    bare: async rows => {
      for (const statement of ingestQuery({ dialect: 'postgres' }, rows, NO_IDS, { further }).statements) {
        const { text, params } = forPostgres(statement)
        let count = 0
        const numbered = text.replaceAll('?', () => `$${++count}`)
        await driver.unsafe(numbered, [...params], { prepare: true })
      }
    },
    settle: async () => {
      await driver.unsafe('ANALYZE')
      return (await size()) - empty
    },
    close: async () => {
      await driver.end()
      await sql.close()
      await server.stop()
    },
  }
}
