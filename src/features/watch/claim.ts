import type { WatchLimits } from './rules_readings.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { BOUND } from '../../ledger/trail/bound_rows.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'

/** A watch that is this process's to look at until its lease is over. Times are epoch ms, by the database's clock. */
export interface Claimed {
  readonly watch_id: string
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly baseline_release_id: string
  readonly auto_rollback: boolean
  readonly min_runs: number
  readonly limits: WatchLimits
  readonly baseline_since: number
  readonly started_at: number
  readonly ends_at: number
  /** Looks before this one. */
  readonly looks: number
  /** Where a rollback stands that was blocked and is tried again; null while nothing was concluded. */
  readonly retry: Retry | null
  readonly lease: string
  readonly now: number
  /** All of it, as it was then. */
  readonly row: Row
}

/** Watches that are looked at: those under way, and those with a rollback that is tried again. */
export const OPEN = sql`(state = 'watching' OR retry_json IS NOT NULL)`

/** What a watch would roll back to, and since when its runs count. */
export const BASELINES = sql`SELECT baseline_release_id AS release_id, environment, baseline_since AS since_ms
  FROM watches WHERE ${OPEN}`

/** How long a claimed watch is nobody else's: a look takes far less. */
const WATCH_LEASE_MS = 60_000

/** Nothing is planned further ahead: what seems to be was planned before the clock was set back, and is due. */
const FURTHEST_MS = 2 * WATCH_LEASE_MS

function isDue(clock: Statement): Statement {
  return sql`(due_at <= ${clock} OR due_at > ${clock} + ${FURTHEST_MS})`
}

/** Until the next watch is due, ms; 0 where one is, undefined where none is looked at. */
export async function nextWatchIn({ sql: db }: Pick<Ledger, 'sql'>): Promise<number | undefined> {
  const { rows } = await db.query(
    sql`SELECT ${db.clock} AS now, min(due_at) AS first, max(due_at) AS last FROM watches WHERE ${OPEN}`,
  )
  const { now, first, last } = rows[0]!
  if (first === null) return undefined
  return Number(last) > Number(now) + FURTHEST_MS ? 0 : Math.max(0, Number(first) - Number(now))
}

/**
 * Claims one watch that is due. On PostgreSQL, where two may choose the same one, the second finds that it is due later
 * by now: the condition stands outside the choice as well.
 */
export async function claimWatch({
  sql: db,
  newId,
}: Pick<Ledger, 'sql' | 'newId'>): Promise<Claimed | undefined> {
  const lease = newId('lse_')
  const [result] = await db.batch([
    sql`UPDATE watches SET lease = ${lease}, due_at = ${db.clock} + ${WATCH_LEASE_MS}
      WHERE ${OPEN} AND ${isDue(db.clock)} AND watch_id IN (
        SELECT watch_id FROM watches WHERE ${OPEN} AND ${isDue(db.clock)} ORDER BY due_at, seq LIMIT 1
      )
      RETURNING ${raw(BOUND.watches.columns.join(', '))}, looks, retry_json, ${db.clock} AS now`,
  ])
  const [row] = result!.rows
  if (row === undefined) return undefined
  return {
    watch_id: String(row.watch_id),
    agent_id: String(row.agent_id),
    environment: String(row.environment),
    release_id: String(row.release_id),
    baseline_release_id: String(row.baseline_release_id),
    auto_rollback: row.auto_rollback === 1,
    min_runs: Number(row.min_runs),
    limits: JSON.parse(String(row.limits_json)) as WatchLimits,
    baseline_since: Number(row.baseline_since),
    started_at: Number(row.started_at),
    ends_at: Number(row.ends_at),
    looks: Number(row.looks),
    retry: nullable(row.retry_json, json => JSON.parse(String(json)) as Retry),
    lease,
    now: Number(row.now),
    row,
  }
}

/** Has a row while a claim holds: nobody has claimed, looked at or ended the watch since. */
export function claimStatement({ watch_id, lease, looks }: Claimed): Statement {
  return sql`SELECT watch_id FROM watches
    WHERE watch_id = ${watch_id} AND ${OPEN} AND lease = ${lease} AND looks = ${looks}`
}
