import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { testService } from '../../../support/services/service.ts'
import { serviceContract } from '../../suite/index.ts'

const remoteLedger = remoteLedgers()

serviceContract(async (options = {}) =>
  testService({ ...options, sql: options.sql ?? (await remoteLedger()).sql }),
)
