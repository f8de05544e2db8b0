import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, SqlError, type Value, raw, rowsOf, sql } from '../../../src/sql/port.ts'
import { shared } from '../shared.ts'
import { leased } from './leased.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** An open, migrated SQLite ledger, which can't be used any more when the test is over; in a file of its own where one is named. */
export async function temporaryLedger(path?: string): Promise<Sql> {
  if (path !== undefined) {
    const db = await openLedger(path)
    onTestFinished(() => db.close())
    return db
  }
  const ledger = idle.pop() ?? (await makeLedger())
  const lease = leased(ledger.sql)
  onTestFinished(async () => {
    await lease.end()
    if (await makeNew(ledger)) idle.push(ledger)
    else await discard(ledger)
  })
  return lease.sql
}

async function openLedger(path: string): Promise<Sql> {
  if (!existsSync(path)) copyFileSync((await shared('emptyLedger')).file, path)
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await migrate(db, MIGRATIONS, Date.now)
  return db
}

const MIGRATIONS = loadMigrations()

interface Ledger {
  readonly path: string
  readonly sql: Sql
  /** Pages of the file as it was when it was new. */
  readonly pages: readonly Buffer[]
}

/** Ledgers of this process that no test holds: SQLite takes longer to compile statements again than most tests run. */
const idle: Ledger[] = []
let made = 0

async function makeLedger(): Promise<Ledger> {
  const path = join(dirname((await shared('emptyLedger')).file), `ledger-${process.pid}-${made++}.db`)
  const db = await openLedger(path)
  return { path, sql: db, pages: await pagesOf(db) }
}

async function discard({ path, sql: db }: Ledger): Promise<void> {
  await db.close()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
}

/** The pages of a file, by sqlite.org/dbpage.html. */
async function pagesOf(db: Sql): Promise<Buffer[]> {
  const rows = await rowsOf(db, sql`SELECT data FROM sqlite_dbpage ORDER BY pgno`)
  return rows.map(({ data }) => Buffer.from(data as unknown as Uint8Array))
}

/** Where a page of the header counts changes of the schema, and how many bytes that takes (sqlite.org/fileformat2.html). */
const SCHEMA_COOKIE = 40

/**
 * Writes the pages back that a test changed, so that statements stay prepared. A ledger whose schema a test changed, or
 * that something else has open or locked, serves nobody any more.
 */
async function makeNew({ sql: db, pages }: Ledger): Promise<boolean> {
  try {
    const now = await pagesOf(db)
    const cookieOf = (all: readonly Buffer[]): number => all[0]!.readUInt32BE(SCHEMA_COOKIE)
    if (cookieOf(now) !== cookieOf(pages)) return false
    const changed = pages.flatMap((page, at) => (page.equals(now[at]!) ? [] : [{ page, pgno: at + 1 }]))
    if (changed.length === 0) return true
    await db.batch(
      changed.map(({ page, pgno }) => ({
        text: 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?',
        params: [page as unknown as Value, pgno],
      })),
    )
    // What the connection keeps of pages, it has read from them before.
    await db.batch([raw('PRAGMA shrink_memory')])
    return true
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    return false
  }
}
