import { ServiceError } from '../../base/errors.ts'
import type { Delivery } from './models.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  field,
  firstRow,
  onlyRow,
  orNull,
} from '../../sql/query.ts'
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
  const listed = sql`SELECT * FROM webhook_deliveries WHERE ${join(conditions, ' AND ')}
    ORDER BY seq DESC LIMIT ${limit}`
  const withPayload = (row: Row): Delivery => ({ ...toDelivery(row), payload: readBody(row) })
  return ask(db, allRows(listed, listing.payload === true ? withPayload : toDelivery))
}

const readBody = field('body', asText)

/**
 * Makes a delivery due now, with all its attempts before it and the same id and body; one that is being sent stays
 * as it is. Throws 404 where there is none.
 */
export async function replayDelivery(ledger: Ledger, deliveryId: string, actor: Actor): Promise<Delivery> {
  const { clock } = ledger.sql
  const wanted = sql`SELECT * FROM webhook_deliveries WHERE delivery_id = ${deliveryId}`
  const id = ledger.newId('rpl_')
  await writeLogged(ledger, firstRow(wanted, toDelivery), found => {
    if (found === undefined) throw new ServiceError(404, `Unknown delivery: ${deliveryId}`)
    return {
      id,
      revises: 'none',
      entries: [
        {
          kind: 'webhook.replayed',
          subject: deliveryId,
          actor,
          reason: null,
          created_at: ledger.now(),
          fact: null,
          details: { webhook_id: found.webhook_id, event: found.event },
        },
      ],
      write: guard => {
        const planned = sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, due_at = ${clock}, lease = NULL
          WHERE delivery_id = ${deliveryId} AND (status <> 'pending' OR lease IS NULL OR ${isDue(clock)})
            AND ${guard}`
        return [planned]
      },
      done: true,
    }
  })
  const replayed = await ask(ledger.sql, onlyRow(wanted, toDelivery))
  ledger.outboxFilled()
  return replayed
}

const readDelivery = columns({
  delivery_id: asText,
  webhook_id: asText,
  event: asText<Delivery['event']>,
  status: asText<Delivery['status']>,
  attempts: asNumber,
  created_at: asTime,
  next_attempt_at: orNull(asTime),
  last_attempt_at: orNull(asTime),
  response_code: orNull(asNumber),
  duration_ms: orNull(asNumber),
  response_text: orNull(asText),
  problem: orNull(asText),
})

function toDelivery(row: Row): Delivery {
  return readDelivery({ ...row, next_attempt_at: row.status === 'pending' ? row.due_at! : null })
}
