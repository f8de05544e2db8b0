import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../names.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'

export const WebhookEvent = type.enumerated(...WEBHOOK_EVENTS)
export type WebhookEvent = typeof WebhookEvent.infer

/** A subscription as it is listed. */
export const Webhook = type({
  webhook_id: Identifier,
  url: 'string',
  events: WebhookEvent.array(),
  description: 'string | null',
  enabled: 'boolean',
  'format?': type.enumerated(...WEBHOOK_FORMATS),
  created_at: Timestamp,
  secret_preview: 'string',
  'previous_secret_until?': Timestamp,
})
export type Webhook = typeof Webhook.infer

const WEBHOOK_FIELDS = {
  webhook_id: 'Identifier of the webhook.',
  url: 'Where it is sent to; only the host of a chat, whose URL is a secret.',
  events: 'Events that it receives.',
  description: 'What it is for.',
  enabled: 'Whether it receives events.',
  format: 'What it is sent as: the payload in JSON, where this is left out, or a message for a chat.',
  created_at: 'When it was added.',
  secret_preview: 'The end of the secret, to tell it by.',
  previous_secret_until: 'Until when the secret before signs too; only while it does.',
} as const

/** PATCH /v1/webhooks/{webhook_id} */
export const webhook = documented(Webhook, {
  title: 'Webhook',
  description: 'A webhook, without its secret.',
  fields: WEBHOOK_FIELDS,
})

/** POST /v1/webhooks, POST /v1/webhooks/{webhook_id}/rotate */
export const CreatedWebhook = Webhook.and({ secret: 'string' })
export type CreatedWebhook = typeof CreatedWebhook.infer

export const createdWebhook = documented(CreatedWebhook, {
  title: 'CreatedWebhook',
  description: 'A webhook with its new secret, which is shown only this once.',
  fields: { ...WEBHOOK_FIELDS, secret: 'What deliveries are signed with.' },
})

/** GET /v1/webhooks */
export const WebhookList = type({ webhooks: Webhook.array() })

export const webhookList = documented(WebhookList, {
  title: 'WebhookList',
  description: 'Webhooks, oldest first.',
  fields: { webhooks: 'The webhooks.', ...under('webhooks[].', WEBHOOK_FIELDS) },
})

/** DELETE /v1/webhooks/{webhook_id} */
export const DeletedWebhook = type({ webhook_id: Identifier, deleted: 'true' })

export const deletedWebhook = documented(DeletedWebhook, {
  title: 'DeletedWebhook',
  description: 'The webhook is gone, with its deliveries.',
  fields: { webhook_id: 'Identifier of the webhook.', deleted: 'Always true.' },
})

/** POST /v1/webhooks/{webhook_id}/test */
export const TestedWebhook = type({
  webhook_id: Identifier,
  delivery_id: 'string',
  status: "'delivered' | 'failed'",
  response_code: Count.or('null'),
  duration_ms: Count,
  response_text: 'string | null',
  problem: 'string | null',
})
export type TestedWebhook = typeof TestedWebhook.infer

export const ATTEMPT_FIELDS = {
  response_code: 'HTTP status of the last answer; null where none came.',
  duration_ms: 'How long the last attempt took.',
  response_text: 'First 200 characters of the last answer.',
  problem: 'Why the last attempt failed; null where it did not.',
}

export const testedWebhook = documented(TestedWebhook, {
  title: 'TestedWebhook',
  description: 'What became of a test.ping: one attempt, not kept in the outbox.',
  fields: {
    webhook_id: 'Identifier of the webhook.',
    delivery_id: 'Identifier of this delivery.',
    status: 'Whether the receiver took it.',
    ...ATTEMPT_FIELDS,
  },
})
