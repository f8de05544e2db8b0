import type { DELIVERY_STATES } from '../../models/names.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, columns, write } from '../../sql/query.ts'
import type { AttemptFacts } from './attempt.ts'
import type { Ledger } from '../world/ledger.ts'

/** A delivery that is this process's to send until its lease is over. */
export interface Claimed {
  readonly delivery_id: string
  readonly webhook_id: string
  readonly event: string
  readonly body: string
  /** Attempts that ended before. */
  readonly attempts: number
  readonly lease: string
}

/** How long a claimed delivery is nobody else's: an attempt takes 5 seconds at most, and is then recorded. */
export const LEASE_MS = 30_000

/** Wait after the first, second and third failure (specification, Events). The third ends the attempts. */
const BACKOFF_MS = [1000, 2000, 4000] as const

/**
 * Nothing is planned further ahead than a lease and the longest pause. What seems to be was planned before the
 * database's clock was set back, and is due.
 */
export const FURTHEST_MS = 60_000

/** Whether a pending delivery may be sent now, by the database's clock. */
export function isDue(clock: Statement): Statement {
  return sql`(due_at <= ${clock} OR due_at > ${clock} + ${FURTHEST_MS})`
}

/**
 * Claims what is due for a webhook, oldest first. On PostgreSQL, where two may choose the same rows, the second finds
 * that they are due later by now: the condition is repeated outside the choice.
 */
export async function claimDue(ledger: Ledger, webhookId: string, limit: number): Promise<Claimed[]> {
  const lease = ledger.newId('lse_')
  const { clock } = ledger.sql
  const claimed = allRows(
    sql`UPDATE webhook_deliveries SET lease = ${lease}, due_at = ${clock} + ${LEASE_MS}
      WHERE status = 'pending' AND ${isDue(clock)} AND delivery_id IN (
        SELECT delivery_id FROM webhook_deliveries
        WHERE status = 'pending' AND webhook_id = ${webhookId} AND ${isDue(clock)}
        ORDER BY due_at, seq LIMIT ${limit}
      )
      RETURNING seq, delivery_id, webhook_id, event, body, attempts`,
    columns({
      seq: asNumber,
      delivery_id: asText,
      webhook_id: asText,
      event: asText,
      body: asText,
      attempts: asNumber,
    }),
  )
  // RETURNING promises no order.
  const rows = (await write(ledger.sql, claimed)).toSorted((a, b) => a.seq - b.seq)
  return rows.map(({ seq: _seq, ...delivery }) => ({ ...delivery, lease }))
}

/** Records an attempt and plans the next, unless the lease has passed to somebody else. Returns the new status. */
export async function recordAttempt(
  ledger: Ledger,
  { delivery_id, lease, attempts: before }: Claimed,
  facts: AttemptFacts,
): Promise<(typeof DELIVERY_STATES)[number]> {
  const attempts = before + 1
  const status = facts.problem === null ? 'delivered' : attempts < BACKOFF_MS.length ? 'pending' : 'failed'
  const { clock } = ledger.sql
  await ledger.sql.batch([
    sql`UPDATE webhook_deliveries SET status = ${status}, attempts = ${attempts}, lease = NULL,
        due_at = ${clock} + ${BACKOFF_MS[before] ?? 0}, last_attempt_at = ${clock},
        response_code = ${facts.response_code}, duration_ms = ${facts.duration_ms},
        response_text = ${facts.response_text}, problem = ${facts.problem}
      WHERE delivery_id = ${delivery_id} AND lease = ${lease}`,
  ])
  return status
}
