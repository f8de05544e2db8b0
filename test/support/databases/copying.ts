import { type Copied, type CopyOptions, copyLedger } from '../../../src/features/copy/copy.ts'
import { copiedTables } from '../../../src/features/copy/jobs.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { temporaryLedger } from './ledger.ts'
import { temporaryPostgres } from './postgres.ts'
import { NOON } from '../services/service.ts'

/** An empty, migrated database of its own for the test. */
export const makers = { SQLite: () => temporaryLedger(), PostgreSQL: temporaryPostgres } as const

export type Database = keyof typeof makers

export const DIRECTIONS: readonly (readonly [from: Database, to: Database])[] = [
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['SQLite', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
]

/** So small that every table of a test takes several. */
export const SMALL_PAGES = { rows: 7, bytes: 5000 }

/** As `svc ledger copy` does it. */
export async function copy(source: Sql, target: Sql, options: Partial<CopyOptions> = {}): Promise<Copied> {
  const tables = await copiedTables()
  return copyLedger(source, target, { tables, now: () => NOON, ...options })
}
