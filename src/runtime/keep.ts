import { keepLedger } from '../ledger/decide/keep_ledger.ts'
import { sumsOf } from '../ledger/events/rebuild.ts'
import type { Services } from './services.ts'
import { type Runner, again } from './again.ts'
import { gently } from './pace.ts'

/** Between two looks. */
const EVERY_MS = 60_000
/** A server that has just started has more urgent things to do. */
const FIRST_MS = 3000

/** Looks after the ledger once a minute. What fails is logged, and tried again the next time. */
export function runUpkeep(services: Services, { firstMs = FIRST_MS } = {}): Runner {
  return again(firstMs, async signal => {
    try {
      await keepLedger(services, { version: services.version, pace: gently(services, signal) })
    } catch (error) {
      if (!signal.aborted) services.log('warn', 'the upkeep of the ledger is put off', { error })
    }
    return EVERY_MS
  })
}

/** Sums what is stored and not summed yet, for a command that no server follows. */
export async function sumEvents(services: Services): Promise<void> {
  for (const { catchUp } of await sumsOf(services.features)) await catchUp(services, batch => batch())
}
