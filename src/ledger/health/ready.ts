import { ServiceError } from '../../base/errors.ts'
import { type Sql, SqlError, isGone, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import type { CountersSnapshot } from '../../models/answers/health.ts'
import { countersSnapshot } from '../trail/counters.ts'

/** Throws 503, with why, where the ledger can't be read or, unless the server only reads, written. */
export async function requireReady({ sql: db, log }: Pick<Ledger, 'sql' | 'log'>): Promise<void> {
  try {
    await checkLedger(db)
  } catch (error) {
    if (isGone(error)) throw error
    log('error', 'the ledger is not available', { error })
    throw new ServiceError(503, `The ledger is not available: ${reasonOf(error)}.`, {
      cause: error,
      headers: { 'Retry-After': '1' },
    })
  }
}

/** The same as 1 or 0, for metrics. */
export function readiness(db: Sql): Promise<0 | 1> {
  return checkLedger(db).then(
    () => 1,
    () => 0,
  )
}

function checkLedger(db: Sql): Promise<void> {
  return db.check(sql`SELECT id FROM audit_head`, 'write')
}

function reasonOf(error: unknown): string {
  return (error instanceof SqlError ? error.reason : undefined) ?? OTHERWISE
}

const OTHERWISE = "it can't be read or written; the log of the server says more"

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
    if (!(error instanceof SqlError) || error.kind === 'other' || isGone(error)) throw error
    ledger.log('error', 'the ledger is not available', { error })
    return undefined
  }
}
