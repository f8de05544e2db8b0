import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLibsql } from '../../src/sql/libsql.ts'
import { temporaryFolder } from '../support/ledger.ts'
import { testService } from '../support/service.ts'
import { appendOnlyContract } from './append_only.ts'
import { sqlPortContract } from './sql_port.ts'

sqlPortContract(async () => {
  const path = join(temporaryFolder(), 'empty.db')
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  onTestFinished(() => db.close())
  return db
})

appendOnlyContract(testService)
