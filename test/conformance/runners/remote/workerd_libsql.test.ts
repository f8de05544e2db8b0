import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { workerService } from '../../../support/workers/service.ts'
import { crossContract } from '../../suite/index.ts'

const { makeService } = workerService(remoteLedgers())

crossContract(makeService)
