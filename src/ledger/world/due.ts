import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { asNumber, ask, columns, onlyRow, orNull } from '../../sql/query.ts'
import { bounded } from '../../sql/deadline.ts'
import type { Ledger } from './ledger.ts'

/** Rows of a table that are checked again and again, each when it is due. */
export interface Due {
  readonly table: string
  /** The column that names a row. */
  readonly id: string
  /** Which rows are checked. */
  readonly open: Statement
  /** What a check takes of a row. */
  readonly columns: Statement
}

/** A row that is this process's to check until its lease is over. */
export interface Leased {
  readonly row: Row
  readonly lease: string
  /** Epoch ms, by the database's clock. */
  readonly now: number
}

/** Checks all that is due, and says in how many ms more is. */
export type CheckAll = (
  ledger: Ledger,
  until?: { readonly mayGoOn: () => boolean },
) => Promise<number | undefined>

/** The row was changed, or leased by another process: what this one saw comes to nothing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** What a check judged has changed since: it is checked again. */
export class Outdated extends Error {
  override readonly name = 'Outdated'
}

/** How often a row is checked again at once. */
const MOST_CHECKS = 5

/** How long a leased row is nobody else's: a check takes far less. */
const LEASE_MS = 60_000

/** Nothing is planned further ahead: what seems to be was planned before the clock was set back, and is due. */
const FURTHEST_MS = 2 * LEASE_MS

/**
 * Checks every row that is due, and returns in how many ms the next one is, or undefined where none is open. Any number
 * of processes may do this at once: leases keep them apart, and what one left behind another goes on with. It begins no
 * further check once it may not go on.
 */
export async function checkDue(
  ledger: Ledger,
  due: Due,
  check: (ledger: Ledger, leased: Leased) => Promise<void>,
  { mayGoOn }: { readonly mayGoOn: () => boolean } = { mayGoOn: () => true },
): Promise<number | undefined> {
  for (;;) {
    const next = await nextIn(ledger.sql, due)
    if (next !== 0 || !mayGoOn()) return next
    const leased = await leaseDue(ledger, due)
    if (leased === undefined) continue
    try {
      for (let checks = 1; await isOutdated(check(bounded(ledger), leased), checks < MOST_CHECKS); checks++);
    } catch (error) {
      // It is due again when its lease is over.
      if (error instanceof LeaseLost) continue
      const { [due.id]: id } = leased.row
      ledger.log('warn', `a row of ${due.table} could not be checked`, { [due.id]: id, error })
    }
  }
}

async function isOutdated(check: Promise<void>, mayCheckAgain: boolean): Promise<boolean> {
  try {
    await check
    return false
  } catch (error) {
    if (mayCheckAgain && error instanceof Outdated) return true
    throw error
  }
}

const LONGEST_MS = 10_000

/** Checks in a trigger that comes each minute: what is not checked within the bound, or when this fails, the next one does. */
export async function checkForAWhile(ledger: Ledger, what: string, check: CheckAll): Promise<void> {
  const until = ledger.now() + LONGEST_MS
  try {
    await check(ledger, { mayGoOn: () => ledger.now() < until })
  } catch (error) {
    ledger.log('error', `${what} can't be checked`, { error })
  }
}

/** Until the next row is due, ms; 0 where one is, undefined where none is open. */
async function nextIn(db: Sql, { table, open }: Due): Promise<number | undefined> {
  const found = onlyRow(
    sql`SELECT ${db.clock} AS now, min(due_at) AS first, max(due_at) AS last FROM ${raw(table)} WHERE ${open}`,
    columns({ now: asNumber, first: orNull(asNumber), last: orNull(asNumber) }),
  )
  const { now, first, last } = await ask(db, found)
  if (first === null || last === null) return undefined
  return last > now + FURTHEST_MS ? 0 : Math.max(0, first - now)
}

/**
 * Leases one row that is due. On PostgreSQL, where two may choose the same one, the second finds that it is due later by
 * now: the condition is repeated outside the choice.
 */
export async function leaseDue(
  { sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>,
  { table, id, open, columns: read }: Due,
): Promise<Leased | undefined> {
  const lease = newId('lse_')
  const isDue = sql`${open} AND (due_at <= ${db.clock} OR due_at > ${db.clock} + ${FURTHEST_MS})`
  const [result] = await db.batch([
    sql`UPDATE ${raw(table)} SET lease = ${lease}, due_at = ${db.clock} + ${LEASE_MS}
      WHERE ${isDue} AND ${raw(id)} IN (
        SELECT ${raw(id)} FROM ${raw(table)} WHERE ${isDue} ORDER BY due_at, seq LIMIT 1
      )
      RETURNING ${read}, ${db.clock} AS now`,
  ])
  const [row] = result!.rows
  return row === undefined ? undefined : { row, lease, now: Number(row.now) }
}
