import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'

/** After so many events of this process, and each time after ten times as many. */
const FIRST_LOOK = 1000

/**
 * Has PostgreSQL count what it has, where that has grown by much and nothing did so yet. Without that its planner takes
 * tables for nearly empty, and reads the whole window for each hour of a tenant's runs; autovacuum comes by a minute or
 * more later, or is off. A user who may not do that is let go on without.
 */
export async function refreshStatistics(
  { sql: db, memo, log }: Pick<Ledger, 'sql' | 'memo' | 'log'>,
  inserted: number,
): Promise<void> {
  if (db.dialect !== 'postgres') return
  const { growth } = memo
  growth.events += inserted
  const { events, lookAt = FIRST_LOOK } = growth
  if (events < lookAt) return
  growth.lookAt = 10 ** Math.ceil(Math.log10(events + 1))
  try {
    const [table] = await rowsOf(
      db,
      sql`SELECT CAST(reltuples AS BIGINT) AS known FROM pg_class WHERE oid = to_regclass('run_events')`,
    )
    if (Number(table!.known) >= events / 2) return
    await analyze(db)
  } catch (error) {
    log('warn', 'the statistics of the ledger can not be refreshed', { error })
  }
}

/** Counts the tables that are joined to find runs. Another process that does the same is not waited for. */
export async function analyze(db: Sql): Promise<void> {
  if (db.dialect !== 'postgres') return
  await db.batch([sql`ANALYZE (SKIP_LOCKED) run_events, rollup_minutes, rollup_hours, scopes`])
}
