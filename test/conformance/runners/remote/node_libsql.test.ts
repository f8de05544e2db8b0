import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { testService } from '../../../support/services/service.ts'
import { remoteContract } from '../../suite/index.ts'

const remoteLedger = remoteLedgers()

remoteContract(async (options = {}) =>
  testService({ ...options, sql: options.sql ?? (await remoteLedger()).sql }),
)
