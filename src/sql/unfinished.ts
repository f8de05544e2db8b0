import { type Statement, sql } from './port.ts'

/**
 * The version that an unfinished copy of a ledger has besides its own: no program knows it, so none takes the copy
 * for a ledger before it is whole.
 */
export const UNFINISHED_VERSION = 1_000_000

export function markUnfinished(now: number): Statement {
  return sql`INSERT INTO schema_migrations (version, name, applied_at)
    VALUES (${UNFINISHED_VERSION}, 'unfinished_copy', ${now}) ON CONFLICT DO NOTHING`
}

export const MARK_FINISHED: Statement = sql`DELETE FROM schema_migrations WHERE version = ${UNFINISHED_VERSION}`
