import { testService } from '../../support/services/service.ts'
import { serviceContract } from '../suite/index.ts'
import { preparedContract } from '../suite/prepared.ts'

serviceContract(testService, 'runs')

preparedContract()
