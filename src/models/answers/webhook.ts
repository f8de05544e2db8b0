import { type } from 'arktype'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../names.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

export const WebhookEvent = type.enumerated(...WEBHOOK_EVENTS)
export type WebhookEvent = typeof WebhookEvent.infer

export const Webhook = object('A webhook, without its secret.', {
  webhook_id: [Identifier, 'Identifier of the webhook.'],
  url: ['string', 'Its URL; for a chat only the host, because the URL is a secret.'],
  events: [WebhookEvent.array(), 'Events that it receives.'],
  description: ['string | null', 'Its description.'],
  enabled: ['boolean', 'Whether it receives events.'],
  'format?': [
    type.enumerated(...WEBHOOK_FORMATS),
    'Its format: the payload in JSON, if left out, or a message for a chat.',
  ],
  created_at: [Timestamp, 'When it was added.'],
  secret_preview: ['string', 'The end of the secret, to recognise it.'],
  'previous_secret_until?': [Timestamp, 'Until when the old secret also signs; only while it does.'],
})
export type Webhook = typeof Webhook.infer

/** POST /v1/webhooks, POST /v1/webhooks/{webhook_id}/rotate */
export const CreatedWebhook = object('A webhook with its new secret, which is shown only this once.', {
  '...': Webhook,
  secret: ['string', 'The secret that signs deliveries.'],
})
export type CreatedWebhook = typeof CreatedWebhook.infer

/** GET /v1/webhooks */
export const WebhookList = object('Webhooks, oldest first.', { webhooks: [Webhook.array(), 'The webhooks.'] })

/** DELETE /v1/webhooks/{webhook_id} */
export const DeletedWebhook = object('The webhook and its deliveries were removed.', {
  webhook_id: [Identifier, 'Identifier of the webhook.'],
  deleted: ['true', 'Always true.'],
})

/** POST /v1/webhooks/{webhook_id}/test */
export const TestedWebhook = object('The result of a test.ping: one attempt, not kept in the outbox.', {
  webhook_id: [Identifier, 'Identifier of the webhook.'],
  delivery_id: ['string', 'Identifier of this delivery.'],
  status: ["'delivered' | 'failed'", 'Whether the receiver accepted it.'],
  response_code: [Count.or('null'), 'HTTP status of the last answer; null if none came.'],
  duration_ms: [Count, 'How long the last attempt took.'],
  response_text: ['string | null', 'First 200 characters of the last answer.'],
  problem: ['string | null', 'Why the last attempt failed; null if it succeeded.'],
})
export type TestedWebhook = typeof TestedWebhook.infer
