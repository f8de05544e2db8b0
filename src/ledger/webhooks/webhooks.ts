import { ServiceError, unprocessable } from '../../base/errors.ts'
import type { CreatedWebhook, TestedWebhook, Webhook, WebhookEvent } from '../../models/answers/webhook.ts'
import { isoTime } from '../../base/time.ts'
import { urlProblem } from '../../rules/webhook_target.ts'
import type { WebhookFormat } from '../../models/names.ts'
import { shownUrl } from '../../rules/secret_url.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  NOTHING,
  allRows,
  asFlag,
  asJson,
  asNumber,
  asText,
  ask,
  asRow,
  columns,
  firstRow,
  orNull,
  insertRow,
} from '../../sql/query.ts'
import { deliveryIdStart, payloadAround } from './announcements.ts'
import { RECEIVER, deliverOnce, toReceiver } from './attempt.ts'
import { holding, holdsOf } from '../trail/bound_rows.ts'
import type { NewEntry } from '../trail/chain.ts'
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
  const events = [...new Set(subscription.events)]
  refuseUrl(ledger, url)
  const row = {
    webhook_id: ledger.newId('whk_'),
    url,
    events: eventsText(events),
    description,
    enabled: 1,
    format,
    secret: newSecret(ledger),
    created_at: ledger.now(),
  }
  await writeLogged(ledger, NOTHING, async () => ({
    id: row.webhook_id,
    revises: 'none',
    entries: [
      webhookEntry('webhook.added', row, actor, row.created_at, holding(await holdsOf('webhooks', [row]))),
    ],
    write: guard => [insertRow('webhooks', row, guard)],
    done: true,
  }))
  const stored = { ...row, events, enabled: true, previous_secret: null, previous_until: null }
  return { ...toWebhook(stored), secret: row.secret }
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
  row: Row,
  actor: Actor,
  created_at: number,
  more: Readonly<Record<string, unknown>> = {},
): NewEntry {
  const { webhook_id, url, events } = readTarget(row)
  const details = { origin: new URL(url).origin, events, ...more }
  return { kind, subject: webhook_id, actor, reason: null, created_at, fact: null, details }
}

const readTarget = columns({ webhook_id: asText, url: asText, events: asJson<string[]> })

/** 288 random bits. */
export function newSecret({ newId }: Ledger): string {
  const hex = Array.from({ length: 6 }, () => newId('')).join('')
  const bytes = hex.match(/../g)!.map(pair => Number.parseInt(pair, 16))
  return SECRET_PREFIX + btoa(String.fromCharCode(...bytes))
}

/** All webhooks, oldest first, without their secrets. */
export async function listWebhooks(db: Sql): Promise<Webhook[]> {
  return (await ask(db, allRows(sql`${webhookRows(db)} ORDER BY seq`, readWebhook))).map(toWebhook)
}

/** What {@link readWebhook} reads. */
function webhookRows({ clock }: Sql): Statement {
  return sql`SELECT w.webhook_id, w.url, w.events, w.description, w.enabled, w.format, w.secret, w.created_at,
    ${stillSigning(clock)} AS previous_secret, w.previous_until FROM webhooks w`
}

const readWebhook = columns({
  ...RECEIVER,
  events: asJson<WebhookEvent[]>,
  description: orNull(asText),
  enabled: asFlag,
  created_at: asNumber,
  previous_until: orNull(asNumber),
})

/** A webhook as it is stored; `previous_secret` only while it still signs. Times are epoch ms. */
export type StoredWebhook = ReturnType<typeof readWebhook>

/** The secret before of a webhook `w`, until its rotation ends by the database's clock; null from then on. */
export function stillSigning(clock: Statement): Statement {
  return sql`CASE WHEN w.previous_until > ${clock} THEN w.previous_secret END`
}

/**
 * Removes a webhook and its deliveries. It takes the head of the chain first, so that no decision adds a delivery
 * for it meanwhile. Throws 404 where there is none.
 */
export async function removeWebhook(ledger: Ledger, webhookId: string, actor: Actor): Promise<void> {
  const wanted = webhookRow(webhookId)
  const id = ledger.newId('rmw_')
  await writeLogged(ledger, wanted, row => ({
    id,
    revises: 'none',
    entries: [
      webhookEntry('webhook.removed', known(row, webhookId), actor, ledger.now(), {
        holds: { webhooks: { [webhookId]: null } },
      }),
    ],
    write: guard => [
      sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND ${guard}`,
      sql`DELETE FROM webhooks WHERE webhook_id = ${webhookId} AND ${guard}`,
    ],
    done: true,
  }))
}

/** Sends one test.ping, signed like every delivery, and waits for the answer. Throws 404 for an unknown webhook. */
export async function testWebhook(ledger: Ledger, webhookId: string, actor: Actor): Promise<TestedWebhook> {
  const webhook = await findWebhook(ledger.sql, webhookId)
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
  const facts = await deliverOnce(ledger, toReceiver(webhook), { event, deliveryId, payload })
  return {
    webhook_id: webhookId,
    delivery_id: deliveryId,
    status: facts.problem === null ? 'delivered' : 'failed',
    ...facts,
  }
}

/** Throws 404 for an unknown webhook. */
export async function findWebhook(db: Sql, webhookId: string): Promise<StoredWebhook> {
  return known(await ask(db, webhookQuery(db, webhookId)), webhookId)
}

export function webhookQuery(db: Sql, webhookId: string): Query<StoredWebhook | undefined> {
  return firstRow(sql`${webhookRows(db)} WHERE webhook_id = ${webhookId}`, readWebhook)
}

/** All columns of a webhook, for entries of the audit log. */
export function webhookRow(webhookId: string): Query<Row | undefined> {
  return firstRow(sql`SELECT * FROM webhooks WHERE webhook_id = ${webhookId}`, asRow)
}

/** Throws 404 for an unknown webhook. */
export function known<T>(webhook: T | undefined, webhookId: string): T {
  if (webhook === undefined) throw new ServiceError(404, `Unknown webhook: ${webhookId}`)
  return webhook
}

/** A webhook as it is listed; what only some have is left out of the others. */
export function toWebhook(stored: StoredWebhook): Webhook {
  const { webhook_id, url, events, description, enabled, format, previous_until } = stored
  const isRotating = stored.previous_secret !== null && previous_until !== null
  return {
    webhook_id,
    url: shownUrl(format, url),
    events,
    description,
    enabled,
    ...(format === 'json' ? {} : { format }),
    created_at: isoTime(stored.created_at),
    secret_preview: `${SECRET_PREFIX}…${stored.secret.slice(-4)}`,
    ...(isRotating ? { previous_secret_until: isoTime(previous_until) } : {}),
  }
}
