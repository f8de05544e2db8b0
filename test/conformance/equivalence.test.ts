import { testService } from '../support/service.ts'
import { diffEquivalence } from './suite/diff_equivalence.ts'

diffEquivalence(testService)
