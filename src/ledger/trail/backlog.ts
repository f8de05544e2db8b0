import { type Row, sql } from '../../sql/port.ts'

/** What waits in the outbox and what was given up. */
export interface Backlog {
  readonly pending: number
  readonly failed: number
  /** When the oldest one that waits was written, epoch ms. */
  readonly oldestPendingAt: number | null
}

/** Its cost grows with what waits, not with what was delivered. Those that failed are counted in an index alone. */
export const BACKLOG = sql`SELECT status, count(*) AS n,
    min(CASE WHEN status = 'pending' THEN created_at END) AS oldest FROM webhook_deliveries
  WHERE status IN ('pending', 'failed') GROUP BY status`

export function toBacklog(rows: readonly Row[]): Backlog {
  const found = (status: string): Row | undefined => rows.find(row => row.status === status)
  const pending = found('pending')
  return {
    pending: Number(pending?.n ?? 0),
    failed: Number(found('failed')?.n ?? 0),
    oldestPendingAt: pending === undefined ? null : Number(pending.oldest),
  }
}
