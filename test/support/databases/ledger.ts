import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import type { Sql } from '../../../src/sql/port.ts'
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
  const file = join(dirname((await shared('emptyLedger')).file), `ledger-${process.pid}-${made++}.db`)
  const db = await openLedger(file)
  const lease = leased(db)
  onTestFinished(async () => {
    await lease.end()
    await db.close()
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  })
  return lease.sql
}

let made = 0

async function openLedger(path: string): Promise<Sql> {
  if (!existsSync(path)) copyFileSync((await shared('emptyLedger')).file, path)
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await migrate(db, MIGRATIONS, Date.now)
  return db
}

const MIGRATIONS = loadMigrations()
