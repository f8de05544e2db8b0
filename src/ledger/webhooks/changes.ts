import { ServiceError, badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { CreatedWebhook, Webhook, WebhookEvent } from '../../models/answers/webhook.ts'
import { type Row, type Statement, join, sql } from '../../sql/port.ts'
import { commitAlways, commitOnce } from '../chain/commit.ts'
import type { Ledger } from '../ledger.ts'
import { findWebhook, newSecret, refuseUrl, toWebhook } from './webhooks.ts'

export interface WebhookChange {
  readonly url?: string | undefined
  readonly events?: readonly WebhookEvent[] | undefined
  readonly description?: string | undefined
  readonly enabled?: boolean | undefined
  /** Whether a rotation ends now, before its time. */
  readonly end_rotation?: boolean | undefined
}

/**
 * Changes what is named, and only that, so that two changes of different fields both hold. What waits in the outbox
 * goes to the new URL. Throws 400 where nothing is named, 404 for an unknown webhook, 422 for a URL that it can't be
 * sent to.
 */
export async function updateWebhook(
  ledger: Ledger,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook> {
  const { url, events, description, enabled, end_rotation = false } = change
  if (url !== undefined) refuseUrl(ledger, url)
  const sets: Statement[] = [
    ...(url === undefined ? [] : [sql`url = ${url}`]),
    ...(events === undefined ? [] : [sql`events = ${JSON.stringify([...new Set(events)])}`]),
    ...(description === undefined ? [] : [sql`description = ${description === '' ? null : description}`]),
    ...(enabled === undefined ? [] : [sql`enabled = CAST(${enabled ? 1 : 0} AS BIGINT)`]),
    ...(end_rotation ? [sql`previous_secret = NULL, previous_until = NULL`] : []),
  ]
  if (sets.length === 0)
    throw badRequest('Nothing to change: name url, events, description, enabled or end_rotation.')
  await findWebhook(ledger.sql, webhookId)
  const found = async (): Promise<Row> => findWebhook(ledger.sql, webhookId)
  await commitAlways(
    ledger,
    [sql`UPDATE webhooks SET ${join(sets, ', ')} WHERE webhook_id = ${webhookId} RETURNING webhook_id`],
    results => results[0]!.rows[0],
    found,
  )
  // What waited while it was disabled.
  if (enabled === true) ledger.outboxFilled()
  return toWebhook(await found())
}

/**
 * Gives a webhook a new secret, which is in this answer and in no other. The one before signs too for `overlapS`
 * seconds more, by the database's clock; with 0 no other than the new one signs from now on. Throws 404 for an
 * unknown webhook, and 409 where a rotation still lasts: a third secret would cut off who has the first.
 */
export async function rotateSecret(
  ledger: Ledger,
  webhookId: string,
  overlapS: number,
): Promise<CreatedWebhook> {
  const { sql: db } = ledger
  const before = await findWebhook(db, webhookId)
  if (overlapS > 0 && before.previous_secret !== null) throw stillRotating(webhookId, before)
  const secret = newSecret(ledger)
  const overlap =
    overlapS > 0
      ? sql`previous_secret = secret, previous_until = ${db.clock} + CAST(${overlapS * 1000} AS BIGINT)`
      : sql`previous_secret = NULL, previous_until = NULL`
  const hasIt = async (): Promise<Row | undefined> => {
    const row = await findWebhook(db, webhookId)
    return row.secret === secret ? row : undefined
  }
  // Of two rotations at once, one finds another secret than it read.
  const done = await commitOnce(
    ledger,
    [
      sql`UPDATE webhooks SET ${overlap}, secret = ${secret}
        WHERE webhook_id = ${webhookId} AND secret = ${String(before.secret)} RETURNING webhook_id`,
    ],
    results => results[0]!.rows[0],
    hasIt,
  )
  const after = await findWebhook(db, webhookId)
  if (done === undefined) throw stillRotating(webhookId, after)
  return { ...toWebhook(after), secret }
}

function stillRotating(webhookId: string, { previous_until }: Row): ServiceError {
  const until = previous_until === null ? 'now' : `until ${isoTime(Number(previous_until))}`
  return new ServiceError(
    409,
    `The secret of ${webhookId} is being rotated already, ${until}. End that with end_rotation ` +
      '(`svc webhook update ' +
      `${webhookId} --end-rotation\`), or drop both secrets now with overlap_s 0.`,
  )
}
