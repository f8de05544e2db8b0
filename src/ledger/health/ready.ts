import { ServiceError } from '../../base/errors.ts'
import { type Sql, SqlError, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'

/** Throws 503, with why, where the ledger can't be read or, unless the server only reads, written. */
export async function requireReady({ sql: db, log }: Pick<Ledger, 'sql' | 'log'>): Promise<void> {
  try {
    await checkLedger(db)
  } catch (error) {
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
