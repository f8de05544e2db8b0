import type { InputPart } from '../../models/all/input.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { CreatedWebhook, Webhook } from '../../models/answers/webhook.ts'
import { type Row, type Statement, join, raw, sql } from '../../sql/port.ts'
import { together } from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import {
  type StoredWebhook,
  eventsText,
  findWebhook,
  known,
  newSecret,
  refuseUrl,
  toWebhook,
  webhookEntry,
  webhookQuery,
  webhookRow,
} from '../../ledger/webhooks/webhooks.ts'

export type WebhookChange = InputPart<'WebhooksUpdate', 'body'>

/**
 * Changes what is named, and only that, so that two changes of different fields both hold. What waits in the outbox
 * goes to the new URL. Throws 400 where nothing is named, 404 for an unknown webhook, 422 for a URL that it can't be
 * sent to.
 */
export async function updateWebhook(
  ledger: Ledger,
  webhookId: string,
  change: WebhookChange,
  actor: Actor,
): Promise<Webhook> {
  if (change.url !== undefined) refuseUrl(ledger, change.url)
  const columns = changedColumns(change)
  const changed = Object.keys(columns)
  if (changed.length === 0)
    throw badRequest('Nothing to change: name url, events, description, enabled or end_rotation.')
  const id = ledger.newId('chw_')
  await writeLogged(ledger, webhookRow(webhookId), async stored => {
    const after = Object.assign({}, known(stored, webhookId), ...Object.values(columns)) as Row
    const more = { changed, ...holding(await holdsOf('webhooks', [after])) }
    return {
      id,
      revises: 'none',
      entries: [webhookEntry('webhook.updated', after, actor, ledger.now(), more)],
      write: guard => [
        sql`UPDATE webhooks SET ${join(Object.values(columns).flatMap(assignments), ', ')}
          WHERE webhook_id = ${webhookId} AND ${guard}`,
      ],
      done: true,
    }
  })
  // What waited while it was disabled.
  if (change.enabled === true) ledger.outboxFilled()
  return toWebhook(await findWebhook(ledger.sql, webhookId))
}

/** The columns with what they are set to, by the name of the field. */
function changedColumns({
  url,
  events,
  description,
  enabled,
  end_rotation,
}: WebhookChange): Readonly<Record<string, Row>> {
  return {
    ...(url === undefined ? {} : { url: { url } }),
    ...(events === undefined ? {} : { events: { events: eventsText(events) } }),
    ...(description === undefined
      ? {}
      : { description: { description: description === '' ? null : description } }),
    ...(enabled === undefined ? {} : { enabled: { enabled: enabled ? 1 : 0 } }),
    ...(end_rotation ? { rotation: { previous_secret: null, previous_until: null } } : {}),
  }
}

function assignments(columns: Row): Statement[] {
  return Object.entries(columns).map(
    ([column, value]) =>
      sql`${raw(column)} = ${typeof value === 'number' ? sql`CAST(${value} AS BIGINT)` : sql`${value}`}`,
  )
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
  actor: Actor,
): Promise<CreatedWebhook> {
  const { sql: db } = ledger
  const [id, secret] = [ledger.newId('rtw_'), newSecret(ledger)]
  const query = together({ stored: webhookRow(webhookId), webhook: webhookQuery(db, webhookId) })
  await writeLogged(ledger, query, async ({ stored, webhook }, { now }) => {
    const before = known(webhook, webhookId)
    if (overlapS > 0 && before.previous_secret !== null) throw stillRotating(webhookId, before)
    const previous_secret = overlapS > 0 ? before.secret : null
    const previous_until = overlapS > 0 ? now + overlapS * 1000 : null
    const after = { ...stored, secret, previous_secret, previous_until }
    const more = { overlap_s: overlapS, ...holding(await holdsOf('webhooks', [after])) }
    return {
      id,
      revises: 'none',
      entries: [webhookEntry('webhook.rotated', after, actor, ledger.now(), more)],
      write: guard => [
        sql`UPDATE webhooks SET previous_secret = ${previous_secret},
            previous_until = CAST(${previous_until} AS BIGINT), secret = ${secret}
          WHERE webhook_id = ${webhookId} AND ${guard}`,
      ],
      done: true,
    }
  })
  return { ...toWebhook(await findWebhook(db, webhookId)), secret }
}

function stillRotating(webhookId: string, { previous_until }: StoredWebhook): ServiceError {
  const until = `until ${isoTime(previous_until!)}`
  return new ServiceError(
    409,
    `The secret of ${webhookId} is being rotated already, ${until}. End that with end_rotation (\`svc webhook update ${webhookId} --end-rotation\`), or replace both secrets now with overlap_s 0.`,
  )
}
