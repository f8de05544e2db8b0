import { SqlError, sql } from './port.ts'

/** What is known of whether a database takes writes. */
export interface WriteHealth {
  /** Notes how a write ends. */
  noted<T>(write: Promise<T>): Promise<T>
  /** Throws what keeps writes from going through. */
  check(): Promise<void>
}

/** Goes to the database that takes writes, and is no row that is paid for. */
export const WRITE_NOTHING = sql`UPDATE schema_migrations SET applied_at = applied_at WHERE version = 0`

/** How long a write that went through shows that the next one will, ms. */
const FRESH_MS = 1000

/** When a write last went through, on a clock that only goes on, ms. */
export interface LastWrite {
  provenAt: number
}

export function noWrite(): LastWrite {
  return { provenAt: Number.NEGATIVE_INFINITY }
}

/**
 * `probe` is a write that changes nothing; it is made only where no other has just gone through, one at a time. `last` is
 * what several of these know together.
 */
export function writeHealth(probe: () => Promise<unknown>, last: LastWrite = noWrite()): WriteHealth {
  let probing: Promise<unknown> | undefined

  async function noted<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      last.provenAt = performance.now()
      return result
    } catch (error) {
      if (!(error instanceof SqlError) || !SAYS_NOTHING.has(error.kind))
        last.provenAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  return {
    noted,
    check: async () => {
      if (performance.now() - last.provenAt < FRESH_MS) return
      probing ??= noted(probe()).finally(() => (probing = undefined))
      await probing
    },
  }
}

/** A write that failed in such a way came to where it would have been written. */
const SAYS_NOTHING: ReadonlySet<SqlError['kind']> = new Set(['unique', 'serialization', 'other'])
