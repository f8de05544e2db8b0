import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { testService } from '../../../support/services/service.ts'
import { pairContract } from '../../suite/index.ts'

const remoteLedger = remoteLedgers()

pairContract(async (options = {}) =>
  testService({ ...options, sql: options.sql ?? (await remoteLedger()).sql }),
)
