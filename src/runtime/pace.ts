import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace } from '../ledger/world/ledger.ts'

/** Share of its time that the database may spend on background work. */
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
