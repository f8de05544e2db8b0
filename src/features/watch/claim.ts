import type { WatchLimits } from './rules_readings.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  asFlag,
  asJson,
  asNumber,
  ask,
  asText,
  columns,
  firstRow,
  hasRow,
  onlyRow,
  orNull,
  write,
} from '../../sql/query.ts'
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
  /** The retries of a blocked rollback; null while nothing was concluded. */
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
  const due = onlyRow(
    sql`SELECT ${db.clock} AS now, min(due_at) AS first, max(due_at) AS last FROM watches WHERE ${OPEN}`,
    columns({ now: asNumber, first: orNull(asNumber), last: orNull(asNumber) }),
  )
  const { now, first, last } = await ask(db, due)
  if (first === null || last === null) return undefined
  return last > now + FURTHEST_MS ? 0 : Math.max(0, first - now)
}

/**
 * Claims one watch that is due. On PostgreSQL, where two may choose the same one, the second finds that it is due later
 * by now: the condition is repeated outside the choice.
 */
export async function claimWatch({
  sql: db,
  newId,
}: Pick<Ledger, 'sql' | 'newId'>): Promise<Claimed | undefined> {
  const lease = newId('lse_')
  const claimed = sql`UPDATE watches SET lease = ${lease}, due_at = ${db.clock} + ${WATCH_LEASE_MS}
      WHERE ${OPEN} AND ${isDue(db.clock)} AND watch_id IN (
        SELECT watch_id FROM watches WHERE ${OPEN} AND ${isDue(db.clock)} ORDER BY due_at, seq LIMIT 1
      )
      RETURNING ${raw(BOUND.watches.columns.join(', '))}, looks, retry_json, ${db.clock} AS now`
  return write(
    db,
    firstRow(claimed, row => {
      const { limits_json: limits, retry_json: retry, ...watch } = readClaimed(row)
      return { ...watch, limits, retry, lease, row }
    }),
  )
}

const readClaimed = columns({
  watch_id: asText,
  agent_id: asText,
  environment: asText,
  release_id: asText,
  baseline_release_id: asText,
  auto_rollback: asFlag,
  min_runs: asNumber,
  limits_json: asJson<WatchLimits>,
  baseline_since: asNumber,
  started_at: asNumber,
  ends_at: asNumber,
  looks: asNumber,
  retry_json: orNull(asJson<Retry>),
  now: asNumber,
})

/** Whether a claim holds: nobody has claimed, looked at or ended the watch since. */
export function isClaimed({ watch_id, lease, looks }: Claimed): Query<boolean> {
  return hasRow(sql`SELECT watch_id FROM watches
    WHERE watch_id = ${watch_id} AND ${OPEN} AND lease = ${lease} AND looks = ${looks}`)
}
