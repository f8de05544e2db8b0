import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { FileConnection } from '../../../src/sql/libsql/file_connection.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, raw } from '../../../src/sql/port.ts'
import { emptyTables, filledTables } from './emptied.ts'
import { shared } from '../shared.ts'
import { leased } from './leased.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/**
 * An open, migrated SQLite ledger, which can't be used any more when the test is over; in a file of its own where one is
 * named. Others are emptied for the next test: most statements take longer to compile than to run.
 */
export async function temporaryLedger(path?: string): Promise<Sql> {
  if (path !== undefined) {
    const db = await openLedger(path)
    onTestFinished(() => db.close())
    return db
  }
  const ledger = idle.pop() ?? (await newLedger())
  const lease = leased(ledger.db)
  onTestFinished(async () => {
    await lease.end()
    if (await isEmptied(ledger)) idle.push(ledger)
    else await discard(ledger)
  })
  return lease.sql
}

interface KeptLedger {
  readonly file: string
  readonly db: Sql
  /** A connection of its own, whose changes of the schema the others don't see. */
  readonly cleaner: FileConnection
  /** A connection that changes nothing, so that it compiles each statement once. */
  readonly reader: FileConnection
  readonly schemaVersion: number
}

/** Ledgers of this process that no test uses. */
const idle: KeptLedger[] = []

async function newLedger(): Promise<KeptLedger> {
  const file = join(dirname((await shared('emptyLedger')).file), `ledger-${randomUUID()}.db`)
  const db = await openLedger(file)
  const cleaner = new FileConnection(file, 5000)
  const reader = new FileConnection(file, 5000)
  return { file, db, cleaner, reader, schemaVersion: schemaVersionOf(cleaner) }
}

/**
 * Whether the ledger is as it was when it was new. Its triggers are away for a moment, and the schema's version is then set
 * to what it was, so that statements which others have compiled stay good (sqlite.org/pragma.html#pragma_schema_version).
 */
async function isEmptied({ db, cleaner, reader, schemaVersion }: KeptLedger): Promise<boolean> {
  try {
    if (schemaVersionOf(cleaner) !== schemaVersion) return false
    const within: Sql = {
      ...db,
      query: async statement => cleaner.execute(statement),
      batch: async statements => cleaner.transaction('IMMEDIATE', statements),
    }
    await emptyTables(within, [raw(`PRAGMA schema_version = ${schemaVersion}`)], {
      ...db,
      query: async statement => reader.execute(statement),
    })
    // The driver leaves an EXPLAIN open: who ran one reads what was there then.
    return (await filledTables(db)).length === 0
  } catch {
    return false
  }
}

function schemaVersionOf(connection: FileConnection): number {
  return Number(connection.execute(raw('PRAGMA schema_version')).rows[0]!.schema_version)
}

async function discard({ file, db, cleaner, reader }: KeptLedger): Promise<void> {
  cleaner.close()
  reader.close()
  await db.close()
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

async function openLedger(path: string): Promise<Sql> {
  if (!existsSync(path)) copyFileSync((await shared('emptyLedger')).file, path)
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await migrate(db, MIGRATIONS, Date.now)
  return db
}

const MIGRATIONS = loadMigrations({ dialect: 'sqlite' })
