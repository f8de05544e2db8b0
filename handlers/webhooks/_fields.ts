import { choice, flag, integer, optional } from '../../src/http/endpoint/fields.ts'
import { DELIVERY_STATES } from '../../src/models/names.ts'

/** Query parameters of the lists of deliveries. */
export const deliveriesFields = {
  status: optional(choice('Only deliveries in this state.', DELIVERY_STATES)),
  limit: integer('Most deliveries to return.', { default: 50, min: 1, max: 500 }),
  payload: flag('Answers each delivery with the JSON that it tells.'),
} as const
