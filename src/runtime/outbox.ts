import { BACKLOG } from '../ledger/trail/counters.ts'
import { createDispatcher } from '../ledger/webhooks/dispatcher.ts'
import type { Ledger } from '../ledger/world/ledger.ts'
import { ask } from '../sql/query.ts'

/** A dispatcher that runs in the background of a server until it is stopped. */
export interface OutboxRunner {
  /** Says that something may have been put in the outbox. Returns at once. */
  readonly wake: () => void
  /** Resolves when what is being sent has been answered, or timed out. */
  stop(): Promise<void>
}

/** How often a server looks for what another process left behind, ms. */
const POLL_MS = 5000

/** What comes within this time is looked for once, ms. */
const GATHER_MS = 100

/**
 * Time between two batches of four for one receiver, ms: 20 deliveries per second. Decisions that come thicker than
 * that are not to be slowed down by telling of them at the same rate.
 */
const PACE_MS = 200

/** Sends what is in the outbox now, what is put there, and what is due again later. */
export function runOutbox(ledger: Ledger): OutboxRunner {
  let timer: NodeJS.Timeout | undefined
  let plannedAt = Number.POSITIVE_INFINITY
  let checking = Promise.resolve()
  let stopped = false
  const dispatcher = createDispatcher(ledger, { onLaneEnd: () => checkIn(0), paceMs: PACE_MS })

  function checkIn(delayMs: number): void {
    const at = performance.now() + delayMs
    if (stopped || at >= plannedAt) return
    clearTimeout(timer)
    plannedAt = at
    timer = setTimeout(() => {
      plannedAt = Number.POSITIVE_INFINITY
      checking = checking.then(check)
    }, delayMs)
  }

  async function check(): Promise<void> {
    try {
      const next = await dispatcher.dispatch()
      checkIn(Math.min(POLL_MS, next ?? POLL_MS))
    } catch (error) {
      ledger.log('error', "the outbox of webhooks can't be read", { error })
      checkIn(POLL_MS)
    }
  }

  checkIn(0)
  return {
    wake: () => checkIn(GATHER_MS),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      dispatcher.stop()
      await checking
      await dispatcher.settled()
    },
  }
}

/** How long a command waits for receivers, ms. An attempt that has begun by then is finished. */
const FLUSH_MS = 10_000

/** Sends what is in the outbox, also again what fails, within a bound. Returns how many deliveries are left. */
export async function flushOutbox(ledger: Ledger, { withinMs = FLUSH_MS } = {}): Promise<number> {
  const until = ledger.now() + withinMs
  const dispatcher = createDispatcher(ledger, { until })
  for (;;) {
    const next = await dispatcher.dispatch()
    // What ended now may be due again: look before waiting.
    if (await dispatcher.settled()) continue
    if (next === undefined || ledger.now() + next >= until) break
    await new Promise(resolve => setTimeout(resolve, next))
  }
  return (await ask(ledger.sql, BACKLOG)).pending
}
