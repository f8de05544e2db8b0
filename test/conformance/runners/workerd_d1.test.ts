import { workerService } from '../../support/workers/service.ts'
import { pairContract } from '../suite/index.ts'

const { makeService } = workerService(({ d1 }) => d1())

pairContract(makeService)
