import { type } from 'arktype'
import { Moment, Window, input, limitField, oneOf } from '../../models/all/input.ts'
import { Dimension, Identifier } from '../../models/scalars.ts'

/** Which runs are looked at. */
const RUNS = {
  release_id: [Dimension, 'Release whose events to read.'],
  window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
  'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
  'environment?': [Dimension, 'The default environment of the workspace unless given.'],
  'tenant_id?': [Identifier, 'Exact filter.'],
  'task_id?': [Identifier, 'Exact filter.'],
} as const

/** What the endpoints take. */
export const INPUTS = {
  RunsFind: input({
    query: {
      id: [Dimension, 'The whole identifier.'],
      'window?': [
        Window,
        'How far back to look for traces, sessions and spans; 30d unless given: {N}d, {N}h or {N}m.',
      ],
      ...limitField('runs', 100),
    },
  }),
  RunsSeries: input({
    query: RUNS,
  }),
  RunsWorst: input({
    query: {
      ...RUNS,
      'by?': [oneOf(['cost', 'latency', 'failure']), 'What makes a run bad. Default cost.'],
      limit: [type('1 <= number.integer <= 100'), 'Most runs to return.', 10],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
