import { keepLedger } from '../ledger/decide/keep_ledger.ts'
import { packDays } from '../ledger/events/days.ts'
import { sumsOf } from '../ledger/events/rebuild.ts'
import type { Pace } from '../ledger/world/ledger.ts'
import type { Services } from './services.ts'
import { type Runner, again } from './again.ts'
import { gently } from './pace.ts'

/** Between two rounds. */
const EVERY_MS = 60_000
/** Between two sums of what came meanwhile: comparisons by tenant and task wait for it where that is much. */
const SUM_MS = 10_000
/** A server that has just started has more urgent things to do. */
const FIRST_MS = 3000

/** Maintains the ledger once a minute, and sums events more often. What fails is logged, and tried again the next time. */
export function runUpkeep(services: Services, { firstMs = FIRST_MS } = {}): Runner {
  let keptAt = Number.NEGATIVE_INFINITY
  return again(firstMs, async signal => {
    const pace = gently(services, signal)
    try {
      if (services.elapsed() - keptAt < EVERY_MS) await sumEvents(services, pace)
      else {
        keptAt = services.elapsed()
        await keepLedger(services, { version: services.version, pace })
      }
    } catch (error) {
      if (!signal.aborted) services.log('warn', 'the upkeep of the ledger is postponed', { error })
    }
    return SUM_MS
  })
}

/** Sums what is stored and not summed yet: also for a command that no server follows. */
export async function sumEvents(services: Services, pace: Pace = batch => batch()): Promise<void> {
  await packDays(services, pace)
  for (const { catchUp } of await sumsOf(services.features)) await catchUp(services, pace)
}
