import { type } from 'arktype'
import { Prose, input, limitField, oneOf, some } from '../../models/all/input.ts'
import { ATTEMPT_FIELDS, WebhookEvent } from '../../models/answers/webhook.ts'
import { addressBytes, by } from '../../models/checks.ts'
import { documented, under } from '../../models/docs.ts'
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'

/** One payload for one receiver. */
export const Delivery = type({
  delivery_id: 'string',
  webhook_id: Identifier,
  event: WebhookEvent,
  status: type.enumerated(...DELIVERY_STATES),
  attempts: Count,
  created_at: Timestamp,
  next_attempt_at: Timestamp.or('null'),
  last_attempt_at: Timestamp.or('null'),
  response_code: Count.or('null'),
  duration_ms: Count.or('null'),
  response_text: 'string | null',
  problem: 'string | null',
  'payload?': 'string',
})
export type Delivery = typeof Delivery.infer

const DELIVERY_FIELDS = {
  delivery_id: 'UUID of the delivery, the same at every attempt and replay.',
  webhook_id: 'The webhook that it is for.',
  event: 'What it tells.',
  status: 'pending until the receiver took it or three attempts failed.',
  attempts: 'Attempts that ended, since it was last replayed.',
  created_at: 'When what it tells happened.',
  next_attempt_at: 'Earliest time of the next attempt; null where none follows.',
  last_attempt_at: 'When the last attempt ended.',
  ...ATTEMPT_FIELDS,
  payload:
    'What it tells, as JSON; only where it was asked for. A chat is sent a message that is made of it.',
} as const

export const delivery = documented(Delivery, {
  title: 'Delivery',
  description: 'One payload for one receiver, and how far it has come.',
  fields: DELIVERY_FIELDS,
})

/** GET /v1/webhook-deliveries and /v1/webhooks/{webhook_id}/deliveries */
export const DeliveryList = type({ deliveries: Delivery.array() })

export const deliveryList = documented(DeliveryList, {
  title: 'DeliveryList',
  description: 'Webhook deliveries, newest first.',
  fields: { deliveries: 'The deliveries.', ...under('deliveries[].', DELIVERY_FIELDS) },
})

export const MODELS = {
  Delivery: delivery,
  DeliveryList: deliveryList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

/** Which deliveries are listed. */
const LISTED = {
  'status?': [oneOf(DELIVERY_STATES), 'Only deliveries in this state.'],
  ...limitField('deliveries'),
  payload: [type.boolean, 'Answers each delivery with the JSON that it tells.', false],
} as const

/** What the endpoints take. */
export const INPUTS = {
  WebhooksUpdate: input({
    path: { webhook_id: [Dimension, 'Webhook to change.'] },
    body: {
      'url?': [type.string.narrow(by(addressBytes)), 'Where to send to, http or https.'],
      'events?': [some(oneOf(WEBHOOK_EVENTS)), 'Events to send it, instead of those that it gets now.'],
      'description?': [Prose, 'What it is for; empty for nothing.'],
      'enabled?': [type.boolean, 'Whether it gets any events.'],
      end_rotation: [type.boolean, 'Whether the secret before stops to sign now.', false],
    },
  }),
  WebhooksRotate: input({
    path: { webhook_id: [Dimension, 'Webhook whose secret to replace.'] },
    body: {
      overlap_s: [
        type('0 <= number.integer <= 2592000'),
        'How long the secret before signs too, seconds.',
        86400,
      ],
    },
  }),
  WebhooksDeliveries: input({
    path: { webhook_id: [Dimension, 'Webhook whose deliveries to list.'] },
    query: LISTED,
  }),
  DeliveriesList: input({
    query: LISTED,
  }),
  DeliveriesReplay: input({
    path: { delivery_id: [Dimension, 'Delivery to send again.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
