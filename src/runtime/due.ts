import { type Runner, again } from './again.ts'
import type { LookAtAll } from '../ledger/world/due.ts'
import type { Ledger } from '../ledger/world/ledger.ts'

/** How often a server asks whether something is due, ms. */
const POLL_MS = 15_000
const SHORTEST_MS = 250

/** Looks when something is due; `look` says in how many ms that is. Any number of servers on one ledger share the work. */
export function whenDue(ledger: Ledger, what: string, look: LookAtAll): Runner {
  return again(0, async signal => {
    try {
      const next = await look(ledger, { mayGoOn: () => !signal.aborted })
      return Math.max(SHORTEST_MS, Math.min(POLL_MS, next ?? POLL_MS))
    } catch (error) {
      ledger.log('error', `${what} can not be looked at`, { error })
      return POLL_MS
    }
  })
}
