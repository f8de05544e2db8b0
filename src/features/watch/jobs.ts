import { type Runner, whenDue } from '../../runtime/again.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { lookAtWatches } from './tick.ts'

export function runWatches(ledger: Ledger): Runner {
  return whenDue(ledger, 'watches', lookAtWatches)
}

/** Looks at what is due now, for a command that has no server. */
export async function lookOnce(ledger: Ledger): Promise<void> {
  await lookAtWatches(ledger)
}
