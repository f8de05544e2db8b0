import { type Runner, whenDue } from '../../runtime/again.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { lookAtRollouts } from './tick.ts'

export function runRollouts(ledger: Ledger): Runner {
  return whenDue(ledger, 'rollouts', lookAtRollouts)
}

/** Looks at what is due now, for a command that has no server. */
export async function lookOnce(ledger: Ledger): Promise<void> {
  await lookAtRollouts(ledger)
}
