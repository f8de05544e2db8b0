import { type } from 'arktype'
import { addressBytes, by } from '../../models/checks.ts'
import { Prose, input, limitField, oneOf, some } from '../../models/all/input.ts'
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { Dimension } from '../../models/scalars.ts'

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
