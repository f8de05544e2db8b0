import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLibsql } from '../../src/sql/libsql.ts'
import { type Sql, SqlError, rowsOf, sql } from '../../src/sql/port.ts'
import { temporaryFolder } from '../support/ledger.ts'
import { testService } from '../support/service.ts'
import { appendOnlyContract } from './append_only.ts'
import { sqlPortContract } from './sql_port.ts'

sqlPortContract(emptyLedger)

appendOnlyContract(testService)

test('a query can not write', async () => {
  const db = await emptyLedger()
  await expect(db.query(sql`CREATE TABLE things (id TEXT)`)).rejects.toThrow(SqlError)
  expect(await rowsOf(db, sql`SELECT count(*) AS n FROM sqlite_schema`)).toEqual([{ n: 0 }])
})

async function emptyLedger(): Promise<Sql> {
  const path = join(temporaryFolder(), 'empty.db')
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  onTestFinished(() => db.close())
  return db
}
