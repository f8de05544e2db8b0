import type { WatchLimits } from './rules_readings.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, raw, sql } from '../../sql/port.ts'
import { type Query, asFlag, asJson, asNumber, asText, columns, hasRow, orNull } from '../../sql/query.ts'
import { BOUND } from '../../ledger/trail/bound_rows.ts'
import type { Due, Leased } from '../../ledger/world/due.ts'

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

export const DUE: Due = {
  table: 'watches',
  id: 'watch_id',
  open: OPEN,
  columns: raw(`${BOUND.watches.columns.join(', ')}, looks, retry_json`),
}

export function toClaimed({ row, lease }: Leased): Claimed {
  const { limits_json: limits, retry_json: retry, ...watch } = readClaimed(row)
  return { ...watch, limits, retry, lease, row }
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
