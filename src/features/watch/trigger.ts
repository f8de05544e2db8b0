import type { Trigger } from '../feature.ts'
import { lookAtWatches } from './tick.ts'

const LONGEST_MS = 10_000

/** What is not looked at within the bound, or when this fails, the next minute's trigger looks at. */
export const trigger: Trigger = {
  async first(ledger) {
    const until = ledger.now() + LONGEST_MS
    try {
      await lookAtWatches(ledger, { mayGoOn: () => ledger.now() < until })
    } catch (error) {
      ledger.log('error', 'watches can not be looked at', { error })
    }
  },
}
