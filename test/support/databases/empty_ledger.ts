import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { raw as rawSql } from '../../../src/sql/port.ts'

/** Writes a SQLite ledger as after the migrations to a new file, which takes thirty times as long as copying it. */
export async function writeEmptyLedger(path: string): Promise<void> {
  const sql = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  await migrate(sql, loadMigrations({ dialect: 'sqlite' }), Date.now)
  await sql.query(rawSql('PRAGMA wal_checkpoint(TRUNCATE)'))
  await sql.close()
}
