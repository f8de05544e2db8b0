import { type Runner, whenDue } from '../../runtime/again.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { checkWatches } from './tick.ts'

export function runWatches(ledger: Ledger): Runner {
  return whenDue(ledger, 'watches', checkWatches)
}

/** Checks what is due now, for a command that has no server. */
export async function checkOnce(ledger: Ledger): Promise<void> {
  await checkWatches(ledger)
}
