import { workerService } from '../../support/services/worker.ts'
import { serviceContract } from '../suite/index.ts'

const { makeService } = workerService(({ d1 }) => d1())

serviceContract(makeService)
