import type { CheckAll } from '../ledger/world/due.ts'
import type { Ledger } from '../ledger/world/ledger.ts'

/** Background work of a server, until it is stopped. */
export interface Runner {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

/**
 * Does a job first after `firstMs`, and again as long after its end as it says, ms. It must not throw. Its signal is
 * aborted when it is stopped. Keeps no process alive.
 */
export function again(firstMs: number, job: (signal: AbortSignal) => Promise<number>): Runner {
  const stopping = new AbortController()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const doIn = (ms: number): void => {
    timer = setTimeout(() => (running = once()), ms)
    timer.unref()
  }
  async function once(): Promise<void> {
    const next = await job(stopping.signal)
    if (!stopping.signal.aborted) doIn(next)
  }
  doIn(firstMs)
  return {
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}

/** Where there is nothing to do. */
export const IDLE: Runner = { stop: async () => {} }

/** How often a server asks whether something is due, ms. */
const POLL_MS = 15_000
const SHORTEST_MS = 250

/** Checks when something is due; `check` says in how many ms that is. Any number of servers on one ledger share the work. */
export function whenDue(ledger: Ledger, what: string, check: CheckAll): Runner {
  return again(0, async signal => {
    try {
      const next = await check(ledger, { mayGoOn: () => !signal.aborted })
      return Math.max(SHORTEST_MS, Math.min(POLL_MS, next ?? POLL_MS))
    } catch (error) {
      ledger.log('error', `${what} can't be checked`, { error })
      return POLL_MS
    }
  })
}
