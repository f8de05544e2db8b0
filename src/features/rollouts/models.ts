import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { REQUEST_STATES, ROLLOUT_STATES, ROLLOUT_UNITS } from '../../models/names.ts'
import { Dimension, Identifier, ofForm } from '../../models/scalars.ts'

/** Of POST /v1/rollouts and /v1/rollouts/request. */
const START = {
  release_id: [Dimension, 'Release to roll out.'],
  environment: [Label, 'Environment to roll it out in.'],
  'steps?': [
    Prose,
    'Shares that rise and how long each takes, SHARE%:TIME; 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h unless given.',
  ],
  'by?': [oneOf(ROLLOUT_UNITS), 'What is split by chance: sessions unless given.'],
  'max_duration?': [Window, 'After how long it expires; 5d unless given: {N}d, {N}h or {N}m.'],
  'hold?': [
    ofForm(/^\d{1,2}(?:\.\d{1,2})?%$/, 'a share below 100% with at most two decimals, such as 5%'),
    'Share of the units that stays on the old release after completion.',
  ],
  'hold_for?': [Window, 'For how long they stay: {N}d, {N}h or {N}m.'],
  reason: [Prose, 'Why; kept in the audit trail.'],
  'expected_baseline_release_id?': [
    Identifier.or('null'),
    'The release that was promoted there when you looked. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out.',
  ],
  ...whoField(),
} as const

/** Of a change of one rollout. */
const CHANGE = {
  path: { rollout_id: [Dimension, 'Rollout that is meant.'] },
  body: {
    reason: [Prose, 'Why; kept in the audit log.'],
    ...whoField('changes it'),
  },
} as const

/** What the endpoints take. */
export const INPUTS = {
  RolloutsList: input({
    query: {
      'agent?': [Dimension, 'Only this agent_id.'],
      'env?': [Dimension, 'Only this environment.'],
      'state?': [oneOf(ROLLOUT_STATES), 'Only rollouts in this state.'],
      ...limitField('rollouts'),
    },
  }),
  RolloutsStart: input({
    body: {
      ...START,
      dry_run: [
        type.boolean,
        'Say how long each step takes at the present traffic, or what blocks the start, but write nothing.',
        false,
      ],
    },
  }),
  RolloutsRequest: input({
    body: START,
  }),
  RolloutsConfirm: input({
    body: {
      request_id: [Dimension, 'Request to confirm.'],
      approval_reason: [Prose, 'Why it is approved; kept in the audit trail.'],
      ...whoField('confirms'),
    },
  }),
  RolloutsReject: input({
    body: {
      request_id: [Dimension, 'Request that is meant.'],
      reason: [Prose, 'Why; kept with the request.'],
      ...whoField('rejects it'),
    },
  }),
  RolloutRequests: input({
    query: {
      'status?': [oneOf(REQUEST_STATES), 'Only requests in this state.'],
      ...limitField('requests'),
    },
  }),
  RolloutsShow: input({
    path: { rollout_id: [Dimension, 'Rollout that is meant.'] },
  }),
  RolloutsPause: input(CHANGE),
  RolloutsResume: input(CHANGE),
  RolloutsAbort: input(CHANGE),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
