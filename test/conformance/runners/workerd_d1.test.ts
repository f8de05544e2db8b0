import { workerService } from '../../support/services/worker.ts'
import { workerContract } from '../suite/index.ts'

const { makeService } = workerService(({ d1 }) => d1())

workerContract(makeService)
