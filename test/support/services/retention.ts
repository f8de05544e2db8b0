import { eraseTenant } from '../../../src/features/retention/erase.ts'
import type { Manner } from '../../../src/features/retention/job.ts'
import { type PruneOptions, pruneEvents } from '../../../src/features/retention/prune.ts'
import { type Restored, restoreEvents } from '../../../src/features/retention/restore.ts'
import type { Ledger } from '../../../src/ledger/world/ledger.ts'
import type { StoredEvent } from '../../../src/models/documents/stored_event.ts'
import { DAY_MS } from '../../../src/base/time.ts'

/** Without a rest between two batches, and without a wait for others. */
export const AT_ONCE: Manner = {
  actor: { name: 'ann', source: 'cli' },
  pace: batch => batch(),
  onTaken: () => Promise.reject(new Error('another one has the job')),
}

/** Ends the work behind its so manieth batch, as a kill does. */
export function killedAt(batch: number): Manner['pace'] {
  let batches = 0
  return async work => {
    const result = await work()
    if (++batches === batch) throw new Error('killed')
    return result
  }
}

/** Prunes, also what was restored, unless it says otherwise. */
export function prune(ledger: Ledger, options: Pick<PruneOptions, 'before'> & Partial<PruneOptions>) {
  return pruneEvents(ledger, { restored: true, ...AT_ONCE, ...options })
}

export function erase(
  ledger: Ledger,
  tenant: string,
  options: Partial<Parameters<typeof eraseTenant>[1]> = {},
) {
  return eraseTenant(ledger, { tenant, ...AT_ONCE, ...options })
}

/** Puts events back that were archived as these lines. */
export function restore(
  ledger: Ledger,
  lines: readonly string[],
  manner: Partial<Manner> = {},
): Promise<Restored> {
  const events = lines.map(line => JSON.parse(line) as StoredEvent)
  const days = [...new Set(events.map(event => Math.floor(Date.parse(event.timestamp) / DAY_MS)))]
  async function* batches(): AsyncGenerator<StoredEvent[]> {
    for (let from = 0; from < events.length; from += 50) yield events.slice(from, from + 50)
  }
  return restoreEvents(ledger, { days, batches: batches() }, { ...AT_ONCE, ...manner })
}

/** An archive in memory. */
export interface MemoryArchive {
  readonly archive: NonNullable<PruneOptions['archive']>
  /** The days that were archived, in order. */
  readonly days: string[]
  lines(): string[]
}

export function memoryArchive(): MemoryArchive {
  const files = new Map<string, string[]>()
  const days: string[] = []
  return {
    days,
    lines: () => [...files.values()].flat(),
    archive: async (day, lines, renew) => {
      const archived: string[] = []
      for await (const line of lines) archived.push(line)
      await renew()
      days.push(day)
      files.set(`${day}.${days.length}`, archived)
    },
  }
}
