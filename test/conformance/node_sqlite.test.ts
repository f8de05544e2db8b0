import { testService } from '../support/service.ts'
import { serviceContract } from './suite/index.ts'

serviceContract(testService)
