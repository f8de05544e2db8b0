import { type Runner, again } from '../../runtime/again.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { lookAtRollouts } from './tick.ts'

/** How often a server asks whether a rollout is due, ms. */
const POLL_MS = 15_000
const SHORTEST_MS = 250

/** Looks at each rollout when it is due. Any number of servers on one ledger share the work. */
export function runRollouts(ledger: Ledger): Runner {
  return again(0, async signal => {
    try {
      const next = await lookAtRollouts(ledger, { mayGoOn: () => !signal.aborted })
      return Math.max(SHORTEST_MS, Math.min(POLL_MS, next ?? POLL_MS))
    } catch (error) {
      ledger.log('error', 'rollouts can not be looked at', { error })
      return POLL_MS
    }
  })
}

/** Looks at what is due now, for a command that has no server. */
export async function lookOnce(ledger: Ledger): Promise<void> {
  await lookAtRollouts(ledger)
}
