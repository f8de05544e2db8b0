import { onTestFinished } from 'vitest'
import { openRemoteLibsql } from '../../../../src/sql/libsql/remote.ts'
import { sql } from '../../../../src/sql/port.ts'
import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { testService } from '../../../support/services/service.ts'
import { appendOnlyContract } from '../../suite/append_only.ts'
import { sqlPortContract } from '../../suite/sql_port.ts'

const remoteLedger = remoteLedgers()

sqlPortContract(async () => {
  const ledger = await remoteLedger()
  const janitor = openRemoteLibsql({ url: ledger.name })
  onTestFinished(async () => void (await janitor.batch([sql`DROP TABLE things`])))
  return ledger.sql
})

appendOnlyContract(async (options = {}) => testService({ ...options, sql: (await remoteLedger()).sql }))
