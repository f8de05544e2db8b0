import { ServiceError } from '../../base/errors.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'

/**
 * What tells a ledger from all others: the first 32 hex digits of the hash of the first entry of its audit log, which
 * nobody can change without another name. Throws 409 where the log is empty.
 */
export async function ledgerId(db: Sql): Promise<string> {
  const [first] = await rowsOf(db, sql`SELECT hash FROM audit_log WHERE log_seq = 1`)
  if (first === undefined) throw emptyLog()
  return String(first.hash).slice(0, 32)
}

export function emptyLog(): ServiceError {
  return new ServiceError(
    409,
    'The audit log is empty: the first change begins it, and `svc serve` takes up what an older version wrote.',
  )
}
