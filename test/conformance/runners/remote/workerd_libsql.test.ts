import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { workerService } from '../../../support/services/worker.ts'
import { serviceContract } from '../../suite/index.ts'

const { makeService } = workerService(remoteLedgers())

serviceContract(makeService)
