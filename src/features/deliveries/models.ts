import { type } from 'arktype'
import { Prose, input, limitField, oneOf, some } from '../../models/all/input.ts'
import { WebhookEvent } from '../../models/answers/webhook.ts'
import { addressBytes, by } from '../../models/checks.ts'
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

export const Delivery = object('One payload for one receiver, and its state.', {
  delivery_id: ['string', 'UUID of the delivery, the same at every attempt and replay.'],
  webhook_id: [Identifier, 'The webhook.'],
  event: [WebhookEvent, 'The event.'],
  status: [
    type.enumerated(...DELIVERY_STATES),
    'pending until the receiver accepted it or three attempts failed.',
  ],
  attempts: [Count, 'Attempts that ended, since the last replay.'],
  created_at: [Timestamp, 'When the event happened.'],
  next_attempt_at: [Timestamp.or('null'), 'Earliest time of the next attempt; null if none follows.'],
  last_attempt_at: [Timestamp.or('null'), 'When the last attempt ended.'],
  response_code: [Count.or('null'), 'HTTP status of the last answer; null if none came.'],
  duration_ms: [Count.or('null'), 'How long the last attempt took.'],
  response_text: ['string | null', 'First 200 characters of the last answer.'],
  problem: ['string | null', 'Why the last attempt failed; null if it succeeded.'],
  'payload?': [
    'string',
    'The payload, as JSON; only on request. A chat gets a message that is made from it.',
  ],
})
export type Delivery = typeof Delivery.infer

/** GET /v1/webhook-deliveries and /v1/webhooks/{webhook_id}/deliveries */
export const DeliveryList = object('Webhook deliveries, newest first.', {
  deliveries: [Delivery.array(), 'The deliveries.'],
})

const LISTED = {
  'status?': [oneOf(DELIVERY_STATES), 'Only deliveries in this state.'],
  ...limitField('deliveries'),
  payload: [type.boolean, 'Adds the payload of each delivery.', false],
} as const

/** What the endpoints take. */
export const INPUTS = {
  WebhooksUpdate: input({
    path: { webhook_id: [Dimension, 'Webhook to change.'] },
    body: {
      'url?': [type.string.narrow(by(addressBytes)), 'Where to send to, http or https.'],
      'events?': [some(oneOf(WEBHOOK_EVENTS)), 'Its new events, in place of the present ones.'],
      'description?': [Prose, 'Description; empty for none.'],
      'enabled?': [type.boolean, 'Whether it gets events.'],
      end_rotation: [type.boolean, 'Whether the old secret stops to sign now.', false],
    },
  }),
  WebhooksRotate: input({
    path: { webhook_id: [Dimension, 'Webhook whose secret to replace.'] },
    body: {
      overlap_s: [
        type('0 <= number.integer <= 2592000'),
        'How long the old secret also signs, seconds.',
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
