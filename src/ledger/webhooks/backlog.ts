import { type Row, sql } from '../../sql/port.ts'

/** What waits in the outbox and what was given up. */
export interface Backlog {
  readonly pending: number
  readonly failed: number
  /** When the oldest one that waits was written, epoch ms. */
  readonly oldestPendingAt: number | null
}

/** Its cost grows with what waits or failed, not with what was delivered. */
export const BACKLOG = sql`SELECT status, count(*) AS n, min(created_at) AS oldest FROM webhook_deliveries
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
