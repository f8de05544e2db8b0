import { type Row, type Statement, sql } from '../../sql/port.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { COLUMNS, NEWEST_EVENT, OPEN } from './rows.ts'

/** A rollout that is this process's to look at until its lease is over. */
export interface Claimed {
  readonly row: Row
  readonly lease: string
  /** Epoch ms, by the database's clock. */
  readonly now: number
}

/** How long a claimed rollout is nobody else's: a look takes far less. */
const LEASE_MS = 60_000

/** Nothing is planned further ahead: what seems to be was planned before the clock was set back, and is due. */
const FURTHEST_MS = 2 * LEASE_MS

function isDue(clock: Statement): Statement {
  return sql`(due_at <= ${clock} OR due_at > ${clock} + ${FURTHEST_MS})`
}

/** Until the next rollout is due, ms; 0 where one is, undefined where none is open. */
export async function nextRolloutIn({ sql: db }: Pick<Ledger, 'sql'>): Promise<number | undefined> {
  const { rows } = await db.query(
    sql`SELECT ${db.clock} AS now, min(due_at) AS first, max(due_at) AS last FROM rollouts WHERE ${OPEN}`,
  )
  const { now, first, last } = rows[0]!
  if (first === null) return undefined
  return Number(last) > Number(now) + FURTHEST_MS ? 0 : Math.max(0, Number(first) - Number(now))
}

/**
 * Claims one rollout that is due. On PostgreSQL, where two may choose the same one, the second finds that it is due later
 * by now: the condition stands outside the choice as well.
 */
export async function claimRollout({
  sql: db,
  newId,
}: Pick<Ledger, 'sql' | 'newId'>): Promise<Claimed | undefined> {
  const lease = newId('lse_')
  const [result] = await db.batch([
    sql`UPDATE rollouts SET lease = ${lease}, due_at = ${db.clock} + ${LEASE_MS}
      WHERE ${OPEN} AND ${isDue(db.clock)} AND rollout_id IN (
        SELECT rollout_id FROM rollouts WHERE ${OPEN} AND ${isDue(db.clock)} ORDER BY due_at, seq LIMIT 1
      )
      RETURNING ${COLUMNS}, ${db.clock} AS now`,
  ])
  const [row] = result!.rows
  return row === undefined ? undefined : { row, lease, now: Number(row.now) }
}

/** The row while a claim holds: nobody has claimed, looked at or changed the rollout since. */
export function claimStatement({ row, lease }: Claimed): Statement {
  const { rollout_id, state, step, looks } = row
  return sql`SELECT ${COLUMNS}, ${NEWEST_EVENT} AS newest_event FROM rollouts
    WHERE rollout_id = ${rollout_id!} AND state = ${state!} AND step = ${step!} AND lease = ${lease}
      AND looks = ${looks!}`
}
