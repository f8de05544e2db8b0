import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { Approval, CONFIRMATION_WARNINGS } from '../../models/answers/promotion_request.ts'
import { Reading } from '../../models/answers/reading.ts'
import { LOG_KINDS, REQUEST_STATES, RESOLUTIONS, ROLLOUT_UNITS } from '../../models/names.ts'
import { ROLLOUT_STATES } from './rules_steps.ts'
import {
  Identity,
  Count,
  Dimension,
  Identifier,
  NumberOrNull,
  Timestamp,
  ofForm,
} from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const Arms = object({ baseline: [Count, 'Of the baseline.'], candidate: [Count, 'Of the candidate.'] })

/** What a rollout saw at a check. */
export const RolloutCheck = object({
  number: [Count, 'Number of the check, from 1.'],
  at: [Timestamp, 'When it was, by the clock of the database.'],
  step: [Count, 'The step that it checked, from 0.'],
  runs: [Arms, 'Runs of the step, by the side that their unit is assigned to.'],
  units: object('Units that were seen in the step, up to 200,000.', {
    baseline: [Count, 'Of the baseline.'],
    candidate: [Count, 'Of the candidate.'],
    p: [
      NumberOrNull,
      'How likely a split as unlike its share is by chance; null below 50 expected units to a side.',
    ],
  }),
  wrong_share: [
    NumberOrNull,
    'Share of the runs that another release than that of their side did; null without runs.',
  ],
  missing_share: [
    NumberOrNull,
    'Share of the runs that carry no unit and count on no side; null without runs.',
  ],
  metrics: object(
    'The guard: rises over all steps together, by bounds that hold for all checks at once; only what is limited.',
    {
      'cost_per_run_usd?': [Reading, 'The mean cost per run.'],
      'latency_ms?': [Reading, 'The mean latency.'],
      error_rate: [Reading, 'The share of failed runs.'],
    },
  ),
  holds: ['string[]', 'What is missing for the next step; empty where nothing is.'],
  ready_at: [
    Timestamp.or('null'),
    'About when the next step is due at the present traffic; null where that is unknown.',
  ],
  problems: ['string[]', 'What could not be compared, say a model without a price.'],
})
export type RolloutCheck = typeof RolloutCheck.infer

const Step = object({
  share: ['number', 'Share of the units that get the candidate, a fraction.'],
  for: ['string', 'How long the step takes at least.'],
  started_at: [Timestamp.or('null'), 'When it began; null before.'],
  ended_at: [Timestamp.or('null'), 'When it ended; null before.'],
})
export type RolloutStep = typeof Step.infer

const Question = {
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
  candidate_release_id: [Identifier, 'The release that is rolled out.'],
  baseline_release_id: [Identifier, 'The release that was live there when it began.'],
  by: [type.enumerated(...ROLLOUT_UNITS), 'What is split by chance: sessions, tenants or users.'],
  reason: ['string', 'Why.'],
} as const

const Hold = object({ share: ['number', 'Share of the units, a fraction.'], for: ['string', 'How long.'] })

export const Rollout = object('Two releases side by side, units split by chance.', {
  rollout_id: [Identifier, 'Identifier of the rollout; units are assigned by it.'],
  ...Question,
  state: [type.enumerated(...ROLLOUT_STATES), 'Where it stands; all but running and paused are final.'],
  steps: [Step.array(), 'Its steps, in order.'],
  step: [Count, 'The step that it is at, from 0; as many as there are steps once it has completed.'],
  share: [NumberOrNull, 'Share of the units that get the candidate now; null where nothing is split.'],
  limits: object('Largest rises that are no harm; null where the policy had none when it began.', {
    cost_per_run_usd: [NumberOrNull, 'Of the mean cost per run, a fraction.'],
    latency_ms: [NumberOrNull, 'Of the mean latency, a fraction.'],
    error_rate: [NumberOrNull, 'Of the error rate, a difference; 0.02 unless the policy has one.'],
  }),
  started_by: ['string', 'Who began it.'],
  started_at: [Timestamp, 'When it began.'],
  ends_at: [Timestamp, 'When it expires at the latest.'],
  hold: [Hold.or('null'), 'What stays on the old release after completion; null where nothing does.'],
  hold_until: [
    Timestamp.or('null'),
    'Until when they stay; null before completion, and where nothing stays.',
  ],
  ended_at: [Timestamp.or('null'), 'When it ended; null while it runs or is paused.'],
  because: ['string | null', 'Why it is paused, or ended so; null while it runs, and where it completed.'],
  changed_by: ['string', 'Who changed its state or step last: rollout is the rollout itself.'],
  action_id: ['string | null', 'The decision that it came to; null where there is none.'],
  checks: [Count, 'How often it was checked.'],
  last_check: [RolloutCheck.or('null'), 'What was seen last; null before the first check.'],
  'request?': object('Only where it was requested and confirmed.', {
    request_id: ['string', 'The request.'],
    requested_by: ['string', 'Who requested it.'],
    approvals: [Approval.array(), 'Who confirmed it.'],
  }),
  'warnings?': ['string[]', CONFIRMATION_WARNINGS],
})
export type Rollout = typeof Rollout.infer

const Entry = object({
  log_seq: [Count, 'Number in the log.'],
  kind: [type.enumerated(...LOG_KINDS), 'What happened.'],
  actor: ['string', 'Who did it; rollout is the rollout itself.'],
  reason: ['string | null', 'Why, where something was said.'],
  created_at: [Timestamp, 'When it was recorded.'],
  step: [Count.or('null'), 'The step from then on, from 0; null of a request.'],
  share: [
    NumberOrNull,
    'Share of the units that got the candidate from then on; null where nothing was split.',
  ],
  check: [RolloutCheck.or('null'), 'What was seen then; null where somebody else than the rollout did it.'],
})
export type RolloutEntry = typeof Entry.infer

/** GET /v1/rollouts/{rollout_id} */
export const RolloutDetail = object('A rollout with its entries in the audit log.', {
  '...': Rollout,
  history: [
    Entry.array(),
    'Its entries in the audit log, newest first; the promotion that it came to is action_id.',
  ],
})
export type RolloutDetail = typeof RolloutDetail.infer

/** POST /v1/rollouts */
export const StartedRollout = object(
  'A rollout that has begun, or would, and how long it takes at the present traffic.',
  {
    rollout_id: ['string | null', 'Identifier of the rollout; null of a dry run.'],
    ...Question,
    steps: object('Its steps, in order.', {
      share: ['number', 'Share of the units that get the candidate, a fraction.'],
      for: ['string', 'How long the step takes at least.'],
      expected_hours: ['number', 'How long it takes at the present traffic.'],
    }).array(),
    runs_per_hour: ['number', "The agent's runs there per hour, over the last day."],
    expected_hours: ['number', 'How long all steps take.'],
    max_duration: ['string', 'After how long it expires.'],
    hold: [Hold.or('null'), 'What stays on the old release after completion; null where nothing does.'],
    limits: [Rollout.get('limits'), 'Largest rises that are no harm; null where the policy has none.'],
    'dry_run?': ['true', 'There, and true, where nothing was written.'],
  },
)
export type StartedRollout = typeof StartedRollout.infer

/** GET /v1/rollouts */
export const RolloutList = object('Rollouts, newest first.', { rollouts: [Rollout.array(), 'The rollouts.'] })

export const RolloutBlocked = object(
  'Why a rollout may not begin now. The attempt is in the audit log, unless it was a dry run.',
  {
    detail: object('What blocks.', {
      message: ['string', 'In short.'],
      reasons: ['string[]', 'Each reason.'],
    }),
  },
)

export const RolloutRequest = object(
  'A rollout that was asked for, and waits for a confirmation or was settled.',
  {
    request_id: [Identifier, 'Identifier of the request.'],
    status: ["'pending' | 'completed' | 'cancelled'", 'Where it stands.'],
    ...Question,
    steps: object('Its steps, in order.', {
      share: ['number', 'Share of the units that get the candidate, a fraction.'],
      for: ['string', 'How long the step takes at least.'],
    }).array(),
    max_duration: ['string', 'After how long it expires once it runs.'],
    hold: [Hold.or('null'), 'What stays on the old release after completion; null where nothing does.'],
    actor: ['string', 'Who requested it.'],
    'actor_identity?': Identity,
    created_at: [Timestamp, 'When.'],
    'expires_at?': [Timestamp, 'Until when it can be confirmed; left out where that has no end.'],
    approvals_required: [Count, 'How many confirmations it takes.'],
    approvals: [Approval.array(), 'Those that were given.'],
    resolved_at: [Timestamp.or('null'), 'When it was settled; null while it waits.'],
    resolved_by: ['string | null', 'Who settled it.'],
    'resolution?': [type.enumerated(...RESOLUTIONS), 'How it was cancelled, where nobody called it back.'],
    resolution_reason: ['string | null', 'Why it was settled so.'],
    rollout_id: ['string | null', 'The rollout that it became.'],
    'warnings?': ['string[]', CONFIRMATION_WARNINGS],
  },
)
export type RolloutRequest = typeof RolloutRequest.infer

/** GET /v1/rollouts/requests */
export const RolloutRequestList = object('Requests for rollouts, newest first.', {
  requests: [RolloutRequest.array(), 'The requests.'],
})

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
  reason: [Prose, 'Why; recorded in the audit log.'],
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
    reason: [Prose, 'Why; recorded in the audit log.'],
    ...whoField('changes it'),
  },
} as const

export const PART_NAMES = {
  'Rollout.hold': 'RolloutHold',
  'Rollout.last_check': 'RolloutCheck',
  'Rollout.last_check.metrics.cost_per_run_usd': 'WatchedMetric',
  'Rollout.limits': 'RolloutLimits',
  'Rollout.request': 'ConfirmedRequest',
  'Rollout.steps': 'RolloutStep',
  'Rollout.request.approvals': 'RolloutApproval',
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
