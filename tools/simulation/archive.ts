import { ServiceError } from '../../src/base/errors.ts'
import type { TenantArchive } from '../../src/features/retention/erase.ts'
import type { Archive } from '../../src/features/retention/prune.ts'
import type { Restorable } from '../../src/features/retention/restore.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import type { Owner } from './agenda.ts'

const DAY_MS = 86_400_000
/** Events of a batch that is restored. */
const BATCH = 50

/** A folder that outlives every server: a file is there whole or not at all. */
export class SimulatedArchive {
  readonly #files = new Map<string, readonly StoredEvent[]>()
  /** All that was ever archived. */
  readonly #copies: StoredEvent[] = []

  #holder: Owner | undefined
  #made = 0

  /** Does work while no other server changes the archive; what a dead one holds is taken over. */
  async alone<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    if (this.#holder?.gone === false) throw new ServiceError(503, 'Another process writes into the archive')
    this.#holder = owner
    try {
      return await work()
    } finally {
      if (this.#holder === owner) this.#holder = undefined
    }
  }

  keeper(owner: Owner): Archive {
    return ({ release_id, day }, lines, renew) =>
      this.alone(owner, async () => {
        const events: StoredEvent[] = []
        for await (const line of lines) events.push(JSON.parse(line) as StoredEvent)
        await renew()
        this.#files.set(`${day}/${release_id}.${++this.#made}`, events)
        this.#copies.push(...events)
      })
  }

  of(tenant: string): TenantArchive {
    const files = this.#files
    return {
      runIds: async function* () {
        for (const [path, events] of files) {
          for (const { tenant_id, run_id } of events) if (tenant_id === tenant) yield { path, run_id }
        }
      },
      holds: async path => files.has(path),
      remove: async path => {
        const events = files.get(path)!
        files.delete(path)
        files.set(
          `${path}.e`,
          events.filter(({ tenant_id }) => tenant_id !== tenant),
        )
      },
    }
  }

  /** The runs of a tenant that are in it. */
  runsOf(tenant: string): ReadonlySet<string> {
    const events = [...this.#files.values()].flat().filter(({ tenant_id }) => tenant_id === tenant)
    return new Set(events.map(({ run_id }) => run_id))
  }

  restorable(from: 'archive' | 'copies'): Restorable {
    const events = from === 'copies' ? [...this.#copies] : [...this.#files.values()].flat()
    const days = new Set(events.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / DAY_MS)))
    async function* batches(): AsyncGenerator<StoredEvent[]> {
      for (let at = 0; at < events.length; at += BATCH) yield events.slice(at, at + BATCH)
    }
    return { files: days.size, days: [...days], batches: batches() }
  }
}
