import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { WATCH_STATES } from '../../models/names.ts'
import { Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  WatchesList: input({
    query: {
      'agent?': [Dimension, 'Only this agent_id.'],
      'env?': [Dimension, 'Only this environment.'],
      'state?': [oneOf(WATCH_STATES), 'Only watches in this state.'],
      ...limitField('watches'),
    },
  }),
  WatchesStart: input({
    body: {
      agent_id: [Dimension, 'Agent whose live release is watched.'],
      environment: [Label, 'Environment that it is live in.'],
      'for?': [Window, 'How long: {N}d, {N}h or {N}m.'],
      'against?': [Dimension, 'Release to compare with; the one that was live before unless given.'],
      'auto_rollback?': [
        type.boolean,
        'Whether a regression rolls back to that release, if the policy lets it.',
      ],
      'min_runs?': [
        type('10 <= number.integer <= 1000000'),
        'Runs of the live release below which nothing is concluded and nothing rolled back.',
      ],
      ...whoField(),
    },
  }),
  WatchesShow: input({
    path: { watch_id: [Dimension, 'Watch that is meant.'] },
  }),
  WatchesCancel: input({
    path: { watch_id: [Dimension, 'Watch that is meant.'] },
    body: {
      reason: [Prose, 'Why; kept with the watch.'],
      ...whoField('ends it'),
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
