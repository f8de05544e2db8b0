import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { MOST_STRATA_MS, STRATA_KINDS } from '../../rules/strata.ts'
import { type Statement, raw, rowsOf, sql } from '../../sql/port.ts'
import { readClock, requireClock } from '../trail/clock.ts'
import type { Ledger } from '../world/ledger.ts'
import { strataTable } from './strata_sql.ts'

/** The moment before which nothing is kept by tenant and task, epoch ms, as a scalar subquery. */
const KEPT_FROM = '(SELECT strata_before FROM retention WHERE id = 1)'

/** Whether a time in such units is kept by tenant and task. */
export function isKeptByStrata(column: string, widthMs: number): Statement {
  return raw(`${column} >= ${KEPT_FROM} / ${widthMs}`)
}

/**
 * Drops the sums by tenant and task of days that no comparison takes any more, once a day, by the database's clock. Throws
 * 503 where that is wrong.
 */
export async function dropOldStrata(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const due = sql`${db.clock} / ${raw(String(DAY_MS))} * ${raw(String(DAY_MS))} - ${raw(String(MOST_STRATA_MS))}`
  const [row] = await rowsOf(db, sql`SELECT strata_before, ${due} AS due FROM retention WHERE id = 1`)
  const before = Number(row!.due)
  if (before <= Number(row!.strata_before)) return
  requireClock(await readClock(ledger))
  const tables = STRATA_KINDS.flatMap(kind => [strataTable(kind, 'runs'), strataTable(kind, 'parts')])
  await db.batch([
    sql`UPDATE retention SET strata_before = ${before} WHERE id = 1 AND strata_before < ${before}`,
    ...tables.map(
      table => sql`DELETE FROM ${raw(table)}
        WHERE scope IN (SELECT id FROM scopes) AND bucket < ${before / HOUR_MS}`,
    ),
  ])
}
