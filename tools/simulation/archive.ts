import type { Archive } from '../../src/features/retention/prune.ts'
import type { Restorable } from '../../src/features/retention/restore.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'

const DAY_MS = 86_400_000
/** Events of a batch that is restored. */
const BATCH = 50

/** A folder that outlives every server. No erasure reaches it. */
export class SimulatedArchive {
  readonly #events: StoredEvent[] = []

  keeper(): Archive {
    return async (_day, lines, renew) => {
      const events: StoredEvent[] = []
      for await (const line of lines) events.push(JSON.parse(line) as StoredEvent)
      await renew()
      this.#events.push(...events)
    }
  }

  restorable(): Restorable {
    const events = [...this.#events]
    const days = new Set(events.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / DAY_MS)))
    async function* batches(): AsyncGenerator<StoredEvent[]> {
      for (let at = 0; at < events.length; at += BATCH) yield events.slice(at, at + BATCH)
    }
    return { days: [...days], batches: batches() }
  }
}
