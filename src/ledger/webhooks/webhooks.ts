import { ServiceError, unprocessable } from '../../base/errors.ts'
import type { CreatedWebhook, TestedWebhook, Webhook, WebhookEvent } from '../../models/answers/webhook.ts'
import { isoTime } from '../../base/time.ts'
import { urlProblem } from '../../rules/webhook_target.ts'
import type { WebhookFormat } from '../../models/names.ts'
import { shownUrl } from '../../rules/secret_url.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { deliveryIdStart, payloadAround } from './announcements.ts'
import { deliverOnce, toReceiver } from './attempt.ts'
import { holding, holdsOf } from '../trail/bound_rows.ts'
import type { NewEntry } from '../trail/log.ts'
import { writeLogged } from '../trail/write_logged.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { SECRET_PREFIX } from './signing.ts'

export interface Subscription {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly description?: string | undefined
  readonly format?: WebhookFormat | undefined
}

/** Adds a webhook. Its secret is in this answer and in no other. Throws 422 for a URL that it can't be sent to. */
export async function addWebhook(
  ledger: Ledger,
  subscription: Subscription,
  actor: Actor,
): Promise<CreatedWebhook> {
  const { url, description = null, format = 'json' } = subscription
  refuseUrl(ledger, url)
  const row = {
    webhook_id: ledger.newId('whk_'),
    url,
    events: eventsText(subscription.events),
    description,
    enabled: 1,
    format,
    secret: newSecret(ledger),
    created_at: ledger.now(),
  }
  const recorded = sql`SELECT webhook_id FROM webhooks WHERE webhook_id = ${row.webhook_id}`
  await writeLogged(ledger, [], async () => ({
    id: row.webhook_id,
    revises: true,
    entries: [
      webhookEntry('webhook.added', row, actor, row.created_at, holding(await holdsOf('webhooks', [row]))),
    ],
    statements: guard => [
      sql`INSERT INTO webhooks (webhook_id, url, events, description, enabled, format, secret, created_at)
        SELECT ${row.webhook_id}, ${row.url}, ${row.events}, ${row.description},
          CAST(${row.enabled} AS BIGINT), ${row.format}, ${row.secret}, CAST(${row.created_at} AS BIGINT)
        WHERE ${guard} RETURNING webhook_id`,
    ],
    read: ([inserted]) => inserted!.rows[0],
    recorded: async () => (await rowsOf(ledger.sql, recorded))[0],
  }))
  return { ...toWebhook(row), secret: row.secret }
}

export function eventsText(events: readonly WebhookEvent[]): string {
  return JSON.stringify([...new Set(events)])
}

/** Throws 422 for a URL that nothing can be sent to. */
export function refuseUrl({ workspace }: Ledger, url: string): void {
  const problem = urlProblem(url, workspace.webhooks.deny_private)
  if (problem !== undefined) throw unprocessable([{ loc: ['body', 'url'], msg: problem, type: 'url' }])
}

/** Where a webhook goes, without what its URL may hold of secrets. */
export function webhookEntry(
  kind: NewEntry['kind'],
  { webhook_id, url, events }: Row,
  actor: Actor,
  created_at: number,
  more: Readonly<Record<string, unknown>> = {},
): NewEntry {
  const { origin } = new URL(String(url))
  const details = { origin, events: JSON.parse(String(events)) as string[], ...more }
  return { kind, subject: String(webhook_id), actor, reason: null, created_at, fact: null, details }
}

/** 288 random bits. */
export function newSecret({ newId }: Ledger): string {
  const hex = Array.from({ length: 6 }, () => newId('')).join('')
  const bytes = hex.match(/../g)!.map(pair => Number.parseInt(pair, 16))
  return SECRET_PREFIX + btoa(String.fromCharCode(...bytes))
}

/** All webhooks, oldest first, without their secrets. */
export async function listWebhooks(db: Sql): Promise<Webhook[]> {
  return (await rowsOf(db, sql`${webhookRows(db)} ORDER BY seq`)).map(toWebhook)
}

/** All columns of webhooks; `previous_secret` only while it still signs. */
function webhookRows({ clock }: Sql): Statement {
  return sql`SELECT w.seq, w.webhook_id, w.url, w.events, w.description, w.enabled, w.format, w.secret, w.created_at,
    ${stillSigning(clock)} AS previous_secret, w.previous_until FROM webhooks w`
}

/** The secret before of a webhook `w`, until its rotation ends by the database's clock; null from then on. */
export function stillSigning(clock: Statement): Statement {
  return sql`CASE WHEN w.previous_until > ${clock} THEN w.previous_secret END`
}

/**
 * Removes a webhook and its deliveries. It takes the head of the chain first, so that no decision adds a delivery
 * for it meanwhile. Throws 404 where there is none.
 */
export async function removeWebhook(ledger: Ledger, webhookId: string, actor: Actor): Promise<void> {
  const wanted = sql`SELECT * FROM webhooks WHERE webhook_id = ${webhookId}`
  const id = ledger.newId('rmw_')
  await writeLogged<true>(ledger, [wanted], ([found]) => ({
    id,
    revises: true,
    entries: [
      webhookEntry('webhook.removed', known(found!.rows[0], webhookId), actor, ledger.now(), {
        holds: { webhooks: { [webhookId]: null } },
      }),
    ],
    statements: guard => [
      sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND ${guard}`,
      sql`DELETE FROM webhooks WHERE webhook_id = ${webhookId} AND ${guard}`,
    ],
    read: ([, removed]) => (removed!.changes > 0 ? true : undefined),
    recorded: async () => ((await rowsOf(ledger.sql, wanted)).length === 0 ? true : undefined),
  }))
}

/** Sends one test.ping, signed like every delivery, and waits for the answer. Throws 404 for an unknown webhook. */
export async function testWebhook(ledger: Ledger, webhookId: string, actor: Actor): Promise<TestedWebhook> {
  const row = await findWebhook(ledger.sql, webhookId)
  const data = {
    release_id: 'rel_000000000000',
    environment: ledger.workspace.default_environment,
    actor: actor.name,
    reason: 'test of this webhook',
  }
  const [event, cause] = ['test.ping', ledger.newId('tst_')] as const
  const deliveryId = deliveryIdStart(cause) + webhookId.slice(4)
  const [before, after] = payloadAround({ event, cause, createdAt: ledger.now(), data })
  const payload = before + deliveryId + after
  const facts = await deliverOnce(ledger, toReceiver(row), { event, deliveryId, payload })
  return {
    webhook_id: webhookId,
    delivery_id: deliveryId,
    status: facts.problem === null ? 'delivered' : 'failed',
    ...facts,
  }
}

/** Throws 404 where there is none. */
export async function findWebhook(db: Sql, webhookId: string): Promise<Row> {
  return known((await rowsOf(db, webhookRow(db, webhookId)))[0], webhookId)
}

/** Reads a webhook. */
export function webhookRow(db: Sql, webhookId: string): Statement {
  return sql`${webhookRows(db)} WHERE webhook_id = ${webhookId}`
}

/** Throws 404 where there is no row. */
export function known(row: Row | undefined, webhookId: string): Row {
  if (row === undefined) throw new ServiceError(404, `Unknown webhook: ${webhookId}`)
  return row
}

/** A webhook as it is listed; what only some have is left out of the others. */
export function toWebhook(row: Row): Webhook {
  const format = String(row.format) as WebhookFormat
  const rotating = row.previous_secret !== null && row.previous_secret !== undefined
  return {
    webhook_id: String(row.webhook_id),
    url: shownUrl(format, String(row.url)),
    events: JSON.parse(String(row.events)) as WebhookEvent[],
    description: nullable(row.description, String),
    enabled: row.enabled === 1,
    ...(format === 'json' ? {} : { format }),
    created_at: isoTime(Number(row.created_at)),
    secret_preview: `${SECRET_PREFIX}…${String(row.secret).slice(-4)}`,
    ...(rotating ? { previous_secret_until: isoTime(Number(row.previous_until)) } : {}),
  }
}
