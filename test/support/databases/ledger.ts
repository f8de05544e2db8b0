import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { shared } from '../shared.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** An open, migrated SQLite ledger in a file of its own, closed when the test is over. */
export async function temporaryLedger(path = join(temporaryFolder(), 'ledger.db')): Promise<Sql> {
  if (!existsSync(path)) writeFileSync(path, await (empty ??= emptyLedger()))
  const sql = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  onTestFinished(() => sql.close())
  await migrate(sql, loadMigrations(), Date.now)
  return sql
}

/** The file of an empty ledger, as bytes. */
let empty: Promise<Buffer> | undefined

async function emptyLedger(): Promise<Buffer> {
  return readFileSync((await shared('emptyLedger')).file)
}
