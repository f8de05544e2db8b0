import { type } from 'arktype'
import { Moment, Window, input, limitField, oneOf } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { StoredEvent, storedEvent } from '../../models/documents/stored_event.ts'
import { Dimension, Identifier, Instant } from '../../models/scalars.ts'

/** GET /v1/runs/find */
export const FoundRuns = type({
  id: 'string',
  since: Instant,
  until: Instant,
  truncated: 'boolean',
  runs: type({ matched_by: "'run' | 'trace' | 'session' | 'span'", event: StoredEvent }).array(),
})
export type FoundRuns = typeof FoundRuns.infer

export const foundRuns = documented(FoundRuns, {
  title: 'FoundRuns',
  description: 'Runs of any release that an identifier belongs to, newest first.',
  fields: {
    id: 'What was looked for.',
    since: 'Start of the window that traces, sessions and spans were looked for in, inclusive.',
    until: 'End of that window, exclusive.',
    truncated: 'Whether more runs match.',
    runs: 'The runs; empty where the identifier is unknown.',
    'runs[].matched_by': 'Which identifier of the run it is.',
    'runs[].event': 'The event, with all defaults applied.',
    ...under('runs[].event.', storedEvent.docs.fields),
  },
})

/** Which runs are looked at. */
const RUNS = {
  release_id: [Dimension, 'Release whose events to read.'],
  window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
  'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
  'environment?': [Dimension, 'The default environment of the workspace unless given.'],
  'tenant_id?': [Identifier, 'Exact filter.'],
  'task_id?': [Identifier, 'Exact filter.'],
} as const

export const MODELS = {
  FoundRuns: foundRuns,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
