import { Moment, Window, input, oneOf } from '../../models/all/input.ts'
import { Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  DiffByGroup: input({
    body: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
      by: [oneOf(['tenant', 'task', 'model', 'error']), 'What to group runs by.'],
      'metric?': [
        oneOf(['cost_per_run_usd', 'latency_ms', 'error_rate']),
        'What to compare; cost_per_run_usd unless given.',
      ],
      'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
      'tenant_id?': [Dimension, 'Exact filter.'],
      'task_id?': [Dimension, 'Exact filter.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
