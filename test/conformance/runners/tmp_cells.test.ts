import { testService } from '../../support/services/service.ts'
import { cellsContract } from '../suite/features/cells/cells.ts'

cellsContract(testService)
