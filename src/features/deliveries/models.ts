import { type } from 'arktype'
import { Prose, input, limitField, oneOf, some } from '../../models/all/input.ts'
import { WebhookEvent } from '../../models/answers/webhook.ts'
import { addressBytes, by } from '../../models/checks.ts'
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

export const Delivery = object('One payload for one receiver, and how far it has come.', {
  delivery_id: ['string', 'UUID of the delivery, the same at every attempt and replay.'],
  webhook_id: [Identifier, 'The webhook that it is for.'],
  event: [WebhookEvent, 'What it tells.'],
  status: [
    type.enumerated(...DELIVERY_STATES),
    'pending until the receiver took it or three attempts failed.',
  ],
  attempts: [Count, 'Attempts that ended, since it was last replayed.'],
  created_at: [Timestamp, 'When what it tells happened.'],
  next_attempt_at: [Timestamp.or('null'), 'Earliest time of the next attempt; null where none follows.'],
  last_attempt_at: [Timestamp.or('null'), 'When the last attempt ended.'],
  response_code: [Count.or('null'), 'HTTP status of the last answer; null where none came.'],
  duration_ms: [Count.or('null'), 'How long the last attempt took.'],
  response_text: ['string | null', 'First 200 characters of the last answer.'],
  problem: ['string | null', 'Why the last attempt failed; null where it did not.'],
  'payload?': [
    'string',
    'What it tells, as JSON; only where it was asked for. A chat is sent a message that is made of it.',
  ],
})
export type Delivery = typeof Delivery.infer

/** GET /v1/webhook-deliveries and /v1/webhooks/{webhook_id}/deliveries */
export const DeliveryList = object('Webhook deliveries, newest first.', {
  deliveries: [Delivery.array(), 'The deliveries.'],
})

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
