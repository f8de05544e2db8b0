import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { workerService } from '../../../support/workers/service.ts'
import { remoteContract } from '../../suite/index.ts'

const { makeService } = workerService(remoteLedgers())

remoteContract(makeService)
