import { testService } from '../../support/services/service.ts'
import { diffEquivalence } from '../suite/decisions/diff_equivalence.ts'

diffEquivalence(testService)
