import { testService } from '../../support/services/service.ts'
import { serviceContract } from '../suite/index.ts'

serviceContract(testService)
