import { choice, integer, optional } from '../../src/http/endpoint/fields.ts'

/** Query parameters of the lists of deliveries. */
export const deliveriesFields = {
  status: optional(choice('Only deliveries in this state.', ['pending', 'delivered', 'failed'])),
  limit: integer('Most deliveries to return.', { default: 50, min: 1, max: 500 }),
} as const

/** Events that a webhook can be told of. */
export const EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
  'test.ping',
] as const
