import { createDispatcher } from '../../../src/ledger/webhooks/dispatcher.ts'
import type { Ledger } from '../../../src/ledger/world/ledger.ts'

/**
 * Sends what is due now, by the ledger's own clock, and returns when it is done or `forMs` are over; what is planned
 * for later, such as another attempt, waits for the next call.
 */
export async function drainOutbox(ledger: Ledger, { forMs = 20_000 } = {}): Promise<void> {
  const dispatcher = createDispatcher(ledger, { until: ledger.now() + forMs })
  await dispatcher.dispatch()
  await dispatcher.settled()
}
