import { deadlineIn, within } from '../../sql/deadline.ts'
import { unbounded } from '../../sql/port.ts'
import type { Ledger } from './ledger.ts'

/**
 * The same ledger for one caller, or for one run of a job: all that it does, whatever it waits for, ends within `ms`, by
 * default the time that its database promises. One that has a deadline already keeps it.
 */
export function bounded<L extends Pick<Ledger, 'sql' | 'elapsed'>>(
  ledger: L,
  {
    ms = ledger.sql.timeoutMs,
    signal,
  }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
): L {
  const { sql, elapsed } = ledger
  if (sql.deadline !== undefined) return ledger
  return { ...ledger, sql: within(sql, deadlineIn(ms, elapsed, signal)) }
}

/** The same with a time of its own, and not given up when its caller is gone: others may wait for the result. */
export function unabandoned<L extends Pick<Ledger, 'sql' | 'elapsed'>>(
  ledger: L,
  ms = ledger.sql.timeoutMs,
): L {
  return bounded({ ...ledger, sql: unbounded(ledger.sql) }, { ms })
}
