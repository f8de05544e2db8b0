import { ServiceError } from '../../base/errors.ts'
import type { Delivery } from '../../models/answers/webhook.ts'
import { isoTime } from '../../base/time.ts'
import { type Row, type Sql, type Statement, join, rowsOf, sql, type Value } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { isDue } from '../../ledger/webhooks/outbox.ts'
import { findWebhook } from '../../ledger/webhooks/webhooks.ts'

export interface DeliveryListing {
  readonly webhook_id?: string | undefined
  readonly status?: Delivery['status'] | undefined
  readonly limit: number
  /** Whether each comes with its payload. */
  readonly payload?: boolean | undefined
}

/** Deliveries, newest first. Throws 404 for an unknown webhook. */
export async function listDeliveries(db: Sql, listing: DeliveryListing): Promise<Delivery[]> {
  const { webhook_id, status, limit } = listing
  if (webhook_id !== undefined) await findWebhook(db, webhook_id)
  const conditions: Statement[] = [
    sql`true`,
    ...(webhook_id === undefined ? [] : [sql`webhook_id = ${webhook_id}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT * FROM webhook_deliveries WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(row =>
    listing.payload === true ? { ...toDelivery(row), payload: String(row.body) } : toDelivery(row),
  )
}

/**
 * Makes a delivery due now, with all its attempts before it and the same id and body; one that is being sent stays
 * as it is. Throws 404 where there is none.
 */
export async function replayDelivery(ledger: Ledger, deliveryId: string, actor: Actor): Promise<Delivery> {
  const { clock } = ledger.sql
  const wanted = sql`SELECT * FROM webhook_deliveries WHERE delivery_id = ${deliveryId}`
  const id = ledger.newId('rpl_')
  const row = await writeLogged<Row>(ledger, [wanted], ([found]) => {
    const delivery = known(found!.rows[0], deliveryId)
    return {
      id,
      revises: false,
      entries: [
        {
          kind: 'webhook.replayed',
          subject: deliveryId,
          actor,
          reason: null,
          created_at: ledger.now(),
          fact: null,
          details: { webhook_id: delivery.webhook_id, event: delivery.event },
        },
      ],
      statements: guard => [
        sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, due_at = ${clock}, lease = NULL
          WHERE delivery_id = ${deliveryId} AND (status <> 'pending' OR lease IS NULL OR ${isDue(clock)})
            AND ${guard}`,
        sql`${wanted} AND ${guard}`,
      ],
      read: ([, sent]) => sent!.rows[0],
      recorded: async () => (await rowsOf(ledger.sql, sql`${wanted} AND status = 'pending'`))[0],
    }
  })
  ledger.outboxFilled()
  return toDelivery(row)
}

function known(row: Row | undefined, deliveryId: string): Row {
  if (row === undefined) throw new ServiceError(404, `Unknown delivery: ${deliveryId}`)
  return row
}

function toDelivery(row: Row): Delivery {
  const time = (value: Value | undefined): string | null => nullable(value, at => isoTime(Number(at)))
  return {
    delivery_id: String(row.delivery_id),
    webhook_id: String(row.webhook_id),
    event: String(row.event) as Delivery['event'],
    status: String(row.status) as Delivery['status'],
    attempts: Number(row.attempts),
    created_at: isoTime(Number(row.created_at)),
    next_attempt_at: row.status === 'pending' ? time(row.due_at) : null,
    last_attempt_at: time(row.last_attempt_at),
    response_code: nullable(row.response_code, Number),
    duration_ms: nullable(row.duration_ms, Number),
    response_text: nullable(row.response_text, String),
    problem: nullable(row.problem, String),
  }
}
