import type { Trigger } from '../feature.ts'
import { lookForAWhile } from '../../ledger/world/due.ts'
import { lookAtWatches } from './tick.ts'

export const trigger: Trigger = { first: ledger => lookForAWhile(ledger, 'watches', lookAtWatches) }
