import { type Check, type DoctorCheck, fail, overdueCheck, pass } from '../../ledger/doctor/check.ts'
import { KEPT_CHECKS } from './rows.ts'
import type { WatchLimits } from './rules_readings.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Sql, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  asFlag,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  field,
  firstRow,
  hasRow,
  orNull,
  removeAll,
} from '../../sql/query.ts'
import { BOUND } from '../../ledger/trail/bound_rows.ts'
import type { Due, Leased } from '../../ledger/world/due.ts'
import type { Removal } from '../feature.ts'

/** A watch that is this process's to check until its lease is over. Times are epoch ms, by the database's clock. */
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
  /** Checks before this one. */
  readonly checks: number
  /** The retries of a blocked rollback; null while nothing was concluded. */
  readonly retry: Retry | null
  readonly lease: string
  readonly now: number
  /** All of it, as it was then. */
  readonly row: Row
}

/** Watches that are checked: those under way, and those with a rollback that is tried again. */
export const OPEN = sql`(state = 'watching' OR retry_json IS NOT NULL)`

/** What a watch would roll back to, and since when its runs count. */
export const BASELINES = sql`SELECT baseline_release_id AS release_id, environment, baseline_since AS since_ms
  FROM watches WHERE ${OPEN}`

export const DUE: Due = {
  table: 'watches',
  id: 'watch_id',
  open: OPEN,
  columns: raw(`${BOUND.watches.columns.join(', ')}, checks, retry_json`),
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
  checks: asNumber,
  retry_json: orNull(asJson<Retry>),
  now: asNumber,
})

/** Whether a claim holds: nobody has claimed, checked or ended the watch since. */
export function isClaimed({ watch_id, lease, checks }: Claimed): Query<boolean> {
  return hasRow(sql`SELECT watch_id FROM watches
    WHERE watch_id = ${watch_id} AND ${OPEN} AND lease = ${lease} AND checks = ${checks}`)
}

export const CHECKS: readonly Check[] = [
  { name: 'watches', run: db => overdueCheck(db, DUE, 'under way') },
  { name: 'watch_checks', deep: true, run: checkNumbers },
]

/** What watches saw check by check goes with the run events of the time when they ended. The watches themselves stay. */
export const removal: Removal = {
  name: 'watch_checks',
  prune: (db, before, pace) =>
    removeAll(
      db,
      sql`DELETE FROM watch_checks WHERE watch_id IN (
        SELECT w.watch_id FROM watches w WHERE w.ended_at < ${before}
          AND EXISTS (SELECT 1 FROM watch_checks l WHERE l.watch_id = w.watch_id) LIMIT 5)`,
      pace,
    ),
}

/**
 * A watch has checked as often as its last check says, of which the newest are there one by one, and each check is of a
 * watch. Those of a watch that is over are forgotten together.
 */
async function checkNumbers(db: Sql): Promise<DoctorCheck> {
  const name = 'watch_checks'
  const first = firstRow(
    sql`SELECT w.watch_id, w.checks, coalesce(l.last, 0) AS last, l.n FROM watches w
      LEFT JOIN (SELECT watch_id, min(number) AS first, max(number) AS last, count(*) AS n FROM watch_checks GROUP BY watch_id) l
        ON l.watch_id = w.watch_id
      WHERE l.last <> w.checks OR l.last - l.first + 1 <> l.n OR (l.first > 1 AND l.n < ${KEPT_CHECKS})
        OR (l.last IS NULL AND w.checks > 0 AND w.state = 'watching')
      ORDER BY w.seq LIMIT 1`,
    columns({ watch_id: asText, checks: asNumber, last: asNumber }),
  )
  const wrong = await ask(db, first)
  if (wrong !== undefined) {
    const { watch_id, checks, last } = wrong
    return fail(
      name,
      last === checks
        ? `some checks of ${watch_id} are missing`
        : `${watch_id} has checked ${checks} times, but its last check is ${last}`,
    )
  }
  const unknown = firstRow(
    sql`SELECT l.watch_id FROM watch_checks l WHERE NOT EXISTS (SELECT 1 FROM watches w WHERE w.watch_id = l.watch_id) LIMIT 1`,
    field('watch_id', asText),
  )
  const watchId = await ask(db, unknown)
  return watchId === undefined
    ? pass(name, 'each check has a watch')
    : fail(name, `there are checks of ${watchId}, which is missing`)
}
