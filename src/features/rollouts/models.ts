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

export const RolloutCheck = object({
  number: [Count, 'Number of the check, from 1.'],
  at: [Timestamp, 'When it was, by the clock of the database.'],
  step: [Count, 'The step that it checked, from 0.'],
  runs: [Arms, 'Runs of the step, by the release that their unit is assigned to.'],
  units: object('Units that were seen in the step, up to 200,000.', {
    baseline: [Count, 'Of the baseline.'],
    candidate: [Count, 'Of the candidate.'],
    p: [
      NumberOrNull,
      'Probability of a split this unequal by chance; null below 50 expected units per release.',
    ],
  }),
  wrong_share: [
    NumberOrNull,
    'Share of the runs that used another release than assigned; null without runs.',
  ],
  missing_share: [
    NumberOrNull,
    'Share of the runs without a unit, which count for no release; null without runs.',
  ],
  metrics: object(
    'The guard: rises over all steps together, by bounds that are valid at all checks; only limited metrics.',
    {
      'cost_per_run_usd?': [Reading, 'The mean cost per run.'],
      'latency_ms?': [Reading, 'The mean latency.'],
      error_rate: [Reading, 'The share of failed runs.'],
    },
  ),
  holds: ['string[]', 'What is missing for the next step; empty if nothing is.'],
  ready_at: [
    Timestamp.or('null'),
    'About when the next step is due at the present traffic; null if unknown.',
  ],
  problems: ['string[]', 'What could not be compared, such as a model without a price.'],
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
  by: [type.enumerated(...ROLLOUT_UNITS), 'What is split: sessions, tenants or users.'],
  reason: ['string', 'Why.'],
} as const

const Hold = object({ share: ['number', 'Share of the units, a fraction.'], for: ['string', 'How long.'] })

export const Rollout = object('Two releases side by side, units split by chance.', {
  rollout_id: [Identifier, 'Identifier of the rollout; units are assigned by it.'],
  ...Question,
  state: [type.enumerated(...ROLLOUT_STATES), 'Its state; all states except running and paused are final.'],
  steps: [Step.array(), 'Its steps, in order.'],
  step: [Count, 'Its present step, from 0; after completion the number of steps.'],
  share: [NumberOrNull, 'Share of the units that get the candidate now; null if nothing is split.'],
  limits: object('Largest rises that are accepted; null if the policy had none when it began.', {
    cost_per_run_usd: [NumberOrNull, 'For the mean cost per run, a fraction.'],
    latency_ms: [NumberOrNull, 'For the mean latency, a fraction.'],
    error_rate: [NumberOrNull, 'For the error rate, a difference; default 0.02.'],
  }),
  started_by: ['string', 'Who began it.'],
  started_at: [Timestamp, 'When it began.'],
  ends_at: [Timestamp, 'When it expires at the latest.'],
  hold: [Hold.or('null'), 'Share that stays on the old release after completion; null if none does.'],
  hold_until: [Timestamp.or('null'), 'End of the holdback; null before completion, and without a holdback.'],
  ended_at: [Timestamp.or('null'), 'When it ended; null while it runs or is paused.'],
  because: ['string | null', 'Why it is paused, or how it ended; null while it runs, and if it completed.'],
  changed_by: ['string', 'Who changed its state or step last: rollout is the rollout itself.'],
  action_id: ['string | null', 'Its decision; null if there is none.'],
  checks: [Count, 'How often it was checked.'],
  last_check: [RolloutCheck.or('null'), 'The last check; null before the first.'],
  'request?': object('Only if it was requested and confirmed.', {
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
  reason: ['string | null', 'Why, if a reason was given.'],
  created_at: [Timestamp, 'When it was recorded.'],
  step: [Count.or('null'), 'The step after this entry, from 0; null for a request.'],
  share: [
    NumberOrNull,
    'Share of the units that got the candidate after this entry; null if nothing was split.',
  ],
  check: [RolloutCheck.or('null'), 'The check at that time; null unless the rollout itself did it.'],
})
export type RolloutEntry = typeof Entry.infer

/** GET /v1/rollouts/{rollout_id} */
export const RolloutDetail = object('A rollout with its entries in the audit log.', {
  '...': Rollout,
  history: [Entry.array(), 'Its entries in the audit log, newest first; action_id is its promotion.'],
})
export type RolloutDetail = typeof RolloutDetail.infer

/** POST /v1/rollouts */
export const StartedRollout = object(
  'A rollout that has begun, or a dry run, and its duration at the present traffic.',
  {
    rollout_id: ['string | null', 'Identifier of the rollout; null for a dry run.'],
    ...Question,
    steps: object('Its steps, in order.', {
      share: ['number', 'Share of the units that get the candidate, a fraction.'],
      for: ['string', 'How long the step takes at least.'],
      expected_hours: ['number', 'Its duration at the present traffic.'],
    }).array(),
    runs_per_hour: ['number', "The agent's runs there per hour, over the last day."],
    expected_hours: ['number', 'How long all steps take.'],
    max_duration: ['string', 'After how long it expires.'],
    hold: [Hold.or('null'), 'Share that stays on the old release after completion; null if none does.'],
    limits: [Rollout.get('limits'), 'Largest rises that are accepted; null if the policy has none.'],
    'dry_run?': ['true', 'Present, and true, if nothing was written.'],
  },
)
export type StartedRollout = typeof StartedRollout.infer

/** GET /v1/rollouts */
export const RolloutList = object('Rollouts, newest first.', { rollouts: [Rollout.array(), 'The rollouts.'] })

export const RolloutBlocked = object(
  "Why a rollout can't begin now. The attempt is in the audit log, unless it was a dry run.",
  {
    detail: object('What blocks.', {
      message: ['string', 'In short.'],
      reasons: ['string[]', 'Each reason.'],
    }),
  },
)

export const RolloutRequest = object('A request for a rollout, pending or settled.', {
  request_id: [Identifier, 'Identifier of the request.'],
  status: ["'pending' | 'completed' | 'cancelled'", 'Its state.'],
  ...Question,
  steps: object('Its steps, in order.', {
    share: ['number', 'Share of the units that get the candidate, a fraction.'],
    for: ['string', 'How long the step takes at least.'],
  }).array(),
  max_duration: ['string', 'After how long it expires once it runs.'],
  hold: [Hold.or('null'), 'Share that stays on the old release after completion; null if none does.'],
  actor: ['string', 'Who requested it.'],
  'actor_identity?': Identity,
  created_at: [Timestamp, 'When.'],
  'expires_at?': [Timestamp, 'Until when it can be confirmed; left out if there is no limit.'],
  approvals_required: [Count, 'How many confirmations it needs.'],
  approvals: [Approval.array(), 'The confirmations so far.'],
  resolved_at: [Timestamp.or('null'), 'When it was settled; null while it is pending.'],
  resolved_by: ['string | null', 'Who settled it.'],
  'resolution?': [type.enumerated(...RESOLUTIONS), 'How it was cancelled, unless the requester withdrew it.'],
  resolution_reason: ['string | null', 'Why it was settled.'],
  rollout_id: ['string | null', 'The rollout that it started.'],
  'warnings?': ['string[]', CONFIRMATION_WARNINGS],
})
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
    'Shares that rise and how long each takes, SHARE%:TIME; default 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h.',
  ],
  'by?': [oneOf(ROLLOUT_UNITS), 'What is split by chance; default sessions.'],
  'max_duration?': [Window, 'After how long it expires: {N}d, {N}h or {N}m; default 5d.'],
  'hold?': [
    ofForm(/^\d{1,2}(?:\.\d{1,2})?%$/, 'a share below 100% with at most two decimals, such as 5%'),
    'Share of the units that stays on the old release after completion.',
  ],
  'hold_for?': [Window, 'For how long they stay: {N}d, {N}h or {N}m.'],
  reason: [Prose, 'Why; recorded in the audit log.'],
  'expected_baseline_release_id?': [
    Identifier.or('null'),
    'The release that you expect to be live there. If another one is live, the answer is 412 and nothing is recorded. Left out: not checked.',
  ],
  ...whoField(),
} as const

const CHANGE = {
  path: { rollout_id: [Dimension, 'Identifier of the rollout.'] },
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
      request_id: [Dimension, 'Identifier of the request.'],
      reason: [Prose, 'Why; kept with the request.'],
      ...whoField('rejects it'),
    },
  }),
  RolloutRequests: input({
    query: {
      'id?': [Dimension, 'Only the request with this id.'],
      'status?': [oneOf(REQUEST_STATES), 'Only requests in this state.'],
      ...limitField('requests'),
    },
  }),
  RolloutsShow: input({
    path: { rollout_id: [Dimension, 'Identifier of the rollout.'] },
  }),
  RolloutsPause: input(CHANGE),
  RolloutsResume: input(CHANGE),
  RolloutsAbort: input(CHANGE),
} as const
