import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { workerService } from '../../../support/services/worker.ts'
import { pairContract } from '../../suite/index.ts'

const { makeService } = workerService(remoteLedgers())

pairContract(makeService)
