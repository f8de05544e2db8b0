import { type Runner, whenDue } from '../../runtime/again.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { checkRollouts } from './tick.ts'

export function runRollouts(ledger: Ledger): Runner {
  return whenDue(ledger, 'rollouts', checkRollouts)
}

/** Checks what is due now, for a command that has no server. */
export async function checkOnce(ledger: Ledger): Promise<void> {
  await checkRollouts(ledger)
}
