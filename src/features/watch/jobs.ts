import type { Ledger } from '../../ledger/world/ledger.ts'
import { lookAtWatches } from './tick.ts'

/** Looks at watches in the background of a server, until it is stopped. */
export interface WatchRunner {
  /** Resolves when the look under way is written. */
  stop(): Promise<void>
}

/** How often a server asks whether a watch is due, ms. */
const POLL_MS = 15_000
const SHORTEST_MS = 250

/** Looks at each watch when it is due. Any number of servers on one ledger share the work. */
export function runWatches(ledger: Ledger): WatchRunner {
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  let stopped = false

  function lookIn(ms: number): void {
    if (stopped) return
    timer = setTimeout(() => (looking = look()), ms)
  }

  async function look(): Promise<void> {
    try {
      const next = await lookAtWatches(ledger, { mayGoOn: () => !stopped })
      lookIn(Math.max(SHORTEST_MS, Math.min(POLL_MS, next ?? POLL_MS)))
    } catch (error) {
      ledger.log('error', 'watches can not be looked at', { error })
      lookIn(POLL_MS)
    }
  }

  lookIn(0)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

/** Looks at what is due now, for a command that has no server. */
export async function lookOnce(ledger: Ledger): Promise<void> {
  await lookAtWatches(ledger)
}
