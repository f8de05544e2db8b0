import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace } from '../ledger/world/ledger.ts'
import { type JobKind, heldElsewhere } from '../ledger/events/jobs.ts'
import type { Ledger } from '../ledger/world/ledger.ts'

/** Share of the time that work beside requests takes of the database. */
const DUTY = 0.1
const SHORTEST_MS = 10

/** Waits after each batch for nine times as long as it took, so that others hardly notice. Throws once aborted. */
export function gently(signal?: AbortSignal): Pace {
  return async function pace(batch) {
    const startedAt = performance.now()
    const result = await batch()
    const tookMs = performance.now() - startedAt
    await sleep(Math.max(SHORTEST_MS, tookMs * (1 / DUTY - 1)), undefined, { signal })
    return result
  }
}

/** How long a command waits for a process that has its job, ms: longer than a killed one keeps it. */
const MOST_MS = 90_000
/** Between two looks, ms. */
const LOOK_MS = 500

/** Waits for another process that has a job, and says so once. Throws 503 when it took too long. */
export function waitingForJob({ log }: Pick<Ledger, 'log'>, kind: JobKind): () => Promise<void> {
  let startedAt: number | undefined
  return async function onHeld() {
    if (startedAt === undefined) {
      startedAt = performance.now()
      log('info', `waiting: ${heldElsewhere(kind).message}`)
    }
    if (performance.now() - startedAt > MOST_MS) throw heldElsewhere(kind)
    await sleep(LOOK_MS)
  }
}
