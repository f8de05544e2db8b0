import type { CountersSnapshot } from '../../models/answers/health.ts'
import { SqlError, sql } from '../../sql/port.ts'
import { countersSnapshot } from '../trail/counters.ts'
import type { Ledger } from '../world/ledger.ts'

/**
 * What a scrape tells of the ledger, or undefined where that can't be read: what the process tells of itself is wanted
 * then above all.
 */
export async function readableSnapshot(
  ledger: Pick<Ledger, 'sql' | 'now' | 'log'>,
): Promise<CountersSnapshot | undefined> {
  try {
    // Ends within seconds, as a scrape has to.
    await ledger.sql.check(sql`SELECT version FROM schema_migrations LIMIT 1`, 'read')
    return await countersSnapshot(ledger)
  } catch (error) {
    if (!(error instanceof SqlError) || error.kind === 'other') throw error
    ledger.log('error', 'the ledger is not available', { error })
    return undefined
  }
}
