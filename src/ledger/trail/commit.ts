import { SqlError } from '../../sql/port.ts'
import { type Query, write } from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'

/** How often a batch is sent whose answer is lost. */
const MAX_TRIES = 4

/**
 * Carries out a query that says itself whether it was done; undefined where its guard was lost. What it wrote is on
 * the disk when it returns: this is the way of all that is governed.
 *
 * Where the answer to a commit is lost, the same batch is sent again. It waits for what the first try still holds
 * locked, and then either is done, or finds its own unique id or a moved guard: `recorded` looks that up.
 */
export async function commitOnce<T>(
  { sql: db }: Pick<Ledger, 'sql'>,
  query: Query<T | undefined>,
  recorded: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const done = await write(db, query, { durable: true })
      return done === undefined && tries > 1 ? await recorded() : done
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      if (error.kind === 'unique' && tries > 1) {
        const done = await recorded()
        if (done !== undefined) return done
      }
      const mayTry = tries < MAX_TRIES && (db.deadline === undefined || db.deadline.leftMs() > 0)
      if (error.kind !== 'uncertain' || !mayTry) throw error
    }
  }
}
