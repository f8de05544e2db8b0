import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { APPROVAL_FIELDS, Approval, CONFIRMATION_WARNINGS } from '../../models/answers/promotion_request.ts'
import { READING_FIELDS, Reading } from '../../models/answers/reading.ts'
import { documented, under } from '../../models/docs.ts'
import { LOG_KINDS, REQUEST_STATES, RESOLUTIONS, ROLLOUT_UNITS } from '../../models/names.ts'
import { ROLLOUT_STATES } from './rules_steps.ts'
import {
  Count,
  Dimension,
  Identifier,
  Identity,
  NumberOrNull,
  Timestamp,
  identityFields,
  ofForm,
} from '../../models/scalars.ts'

const Arms = type({ baseline: Count, candidate: Count })

/** What a rollout saw at a check. */
export const RolloutCheck = type({
  number: Count,
  at: Timestamp,
  step: Count,
  runs: Arms,
  units: type({ baseline: Count, candidate: Count, p: NumberOrNull }),
  wrong_share: NumberOrNull,
  missing_share: NumberOrNull,
  metrics: { 'cost_per_run_usd?': Reading, 'latency_ms?': Reading, error_rate: Reading },
  holds: 'string[]',
  ready_at: Timestamp.or('null'),
  problems: 'string[]',
})
export type RolloutCheck = typeof RolloutCheck.infer

const METRICS = {
  cost_per_run_usd: 'The mean cost per run.',
  latency_ms: 'The mean latency.',
  error_rate: 'The share of failed runs.',
}

const CHECK_FIELDS = {
  number: 'Number of the check, from 1.',
  at: 'When it was, by the clock of the database.',
  step: 'The step that it checked, from 0.',
  runs: 'Runs of the step, by the side that their unit is assigned to.',
  'runs.baseline': 'Of the baseline.',
  'runs.candidate': 'Of the candidate.',
  units: 'Units that were seen in the step, up to 200,000.',
  'units.baseline': 'Of the baseline.',
  'units.candidate': 'Of the candidate.',
  'units.p': 'How likely a split as unlike its share is by chance; null below 50 expected units to a side.',
  wrong_share: 'Share of the runs that another release than that of their side did; null without runs.',
  missing_share: 'Share of the runs that carry no unit and count on no side; null without runs.',
  metrics:
    'The guard: rises over all steps together, by bounds that hold for all checks at once; only what is limited.',
  ...Object.fromEntries(
    Object.entries(METRICS).flatMap(([name, text]) => [
      [`metrics.${name}`, text],
      ...Object.entries(under(`metrics.${name}.`, READING_FIELDS)),
    ]),
  ),
  holds: 'What is missing for the next step; empty where nothing is.',
  ready_at: 'About when the next step is due at the present traffic; null where that is unknown.',
  problems: 'What could not be compared, say a model without a price.',
} as const

const Step = type({
  share: 'number',
  for: 'string',
  started_at: Timestamp.or('null'),
  ended_at: Timestamp.or('null'),
})
export type RolloutStep = typeof Step.infer

const Question = {
  agent_id: Identifier,
  environment: Identifier,
  candidate_release_id: Identifier,
  baseline_release_id: Identifier,
  by: type.enumerated(...ROLLOUT_UNITS),
  reason: 'string',
} as const

const QUESTION_FIELDS = {
  agent_id: 'The agent.',
  environment: 'The environment.',
  candidate_release_id: 'The release that is rolled out.',
  baseline_release_id: 'The release that was live there when it began.',
  by: 'What is split by chance: sessions, tenants or users.',
  reason: 'Why.',
} as const

const Hold = type({ share: 'number', for: 'string' })

/** A rollout. */
export const Rollout = type({
  rollout_id: Identifier,
  ...Question,
  state: type.enumerated(...ROLLOUT_STATES),
  steps: Step.array(),
  step: Count,
  share: NumberOrNull,
  limits: { cost_per_run_usd: NumberOrNull, latency_ms: NumberOrNull, error_rate: NumberOrNull },
  started_by: 'string',
  started_at: Timestamp,
  ends_at: Timestamp,
  hold: Hold.or('null'),
  hold_until: Timestamp.or('null'),
  ended_at: Timestamp.or('null'),
  because: 'string | null',
  changed_by: 'string',
  action_id: 'string | null',
  checks: Count,
  last_check: RolloutCheck.or('null'),
  'request?': { request_id: 'string', requested_by: 'string', approvals: Approval.array() },
  'warnings?': 'string[]',
})
export type Rollout = typeof Rollout.infer

const ROLLOUT_FIELDS = {
  rollout_id: 'Identifier of the rollout; units are assigned by it.',
  ...QUESTION_FIELDS,
  state: 'Where it stands; all but running and paused are final.',
  steps: 'Its steps, in order.',
  'steps[].share': 'Share of the units that get the candidate, a fraction.',
  'steps[].for': 'How long the step takes at least.',
  'steps[].started_at': 'When it began; null before.',
  'steps[].ended_at': 'When it ended; null before.',
  step: 'The step that it is at, from 0; as many as there are steps once it has completed.',
  share: 'Share of the units that get the candidate now; null where nothing is split.',
  limits: 'Largest rises that are no harm; null where the policy had none when it began.',
  'limits.cost_per_run_usd': 'Of the mean cost per run, a fraction.',
  'limits.latency_ms': 'Of the mean latency, a fraction.',
  'limits.error_rate': 'Of the error rate, a difference; 0.02 unless the policy has one.',
  started_by: 'Who began it.',
  started_at: 'When it began.',
  ends_at: 'When it expires at the latest.',
  hold: 'What stays on the old release after completion; null where nothing does.',
  'hold.share': 'Share of the units, a fraction.',
  'hold.for': 'How long.',
  hold_until: 'Until when they stay; null before completion, and where nothing stays.',
  ended_at: 'When it ended; null while it runs or is paused.',
  because: 'Why it is paused, or ended so; null while it runs, and where it completed.',
  changed_by: 'Who changed its state or step last: rollout is the rollout itself.',
  action_id: 'The decision that it came to; null where there is none.',
  checks: 'How often it was checked.',
  last_check: 'What was seen last; null before the first check.',
  ...under('last_check.', CHECK_FIELDS),
  request: 'Only where it was requested and confirmed.',
  'request.request_id': 'The request.',
  'request.requested_by': 'Who asked for it.',
  'request.approvals': 'Who confirmed it.',
  ...under('request.approvals[].', APPROVAL_FIELDS),
  warnings: CONFIRMATION_WARNINGS,
} as const

export const rollout = documented(Rollout, {
  title: 'Rollout',
  description: 'Two releases side by side, units split by chance.',
  fields: ROLLOUT_FIELDS,
})

const Entry = type({
  log_seq: Count,
  kind: type.enumerated(...LOG_KINDS),
  actor: 'string',
  reason: 'string | null',
  created_at: Timestamp,
  step: Count.or('null'),
  share: NumberOrNull,
  check: RolloutCheck.or('null'),
})
export type RolloutEntry = typeof Entry.infer

/** GET /v1/rollouts/{rollout_id} */
export const RolloutDetail = Rollout.and({ history: Entry.array() })
export type RolloutDetail = typeof RolloutDetail.infer

export const rolloutDetail = documented(RolloutDetail, {
  title: 'RolloutDetail',
  description: 'A rollout with its entries in the audit log.',
  fields: {
    ...ROLLOUT_FIELDS,
    history: 'Its entries in the audit log, newest first; the promotion that it came to is action_id.',
    ...under('history[].', {
      log_seq: 'Number in the log.',
      kind: 'What happened.',
      actor: 'Who did it; rollout is the rollout itself.',
      reason: 'Why, where something was said.',
      created_at: 'When it was recorded.',
      step: 'The step from then on, from 0; null of a request.',
      share: 'Share of the units that got the candidate from then on; null where nothing was split.',
      check: 'What was seen then; null where somebody else than the rollout did it.',
      ...under('check.', CHECK_FIELDS),
    }),
  },
})

/** POST /v1/rollouts */
export const StartedRollout = type({
  rollout_id: 'string | null',
  ...Question,
  steps: type({ share: 'number', for: 'string', expected_hours: 'number' }).array(),
  runs_per_hour: 'number',
  expected_hours: 'number',
  max_duration: 'string',
  hold: Hold.or('null'),
  limits: Rollout.get('limits'),
  'dry_run?': 'true',
})
export type StartedRollout = typeof StartedRollout.infer

export const startedRollout = documented(StartedRollout, {
  title: 'StartedRollout',
  description: 'A rollout that has begun, or would, and how long it takes at the present traffic.',
  fields: {
    rollout_id: 'Identifier of the rollout; null of a dry run.',
    ...QUESTION_FIELDS,
    steps: 'Its steps, in order.',
    'steps[].share': 'Share of the units that get the candidate, a fraction.',
    'steps[].for': 'How long the step takes at least.',
    'steps[].expected_hours': 'How long it takes at the present traffic.',
    runs_per_hour: "The agent's runs there per hour, over the last day.",
    expected_hours: 'How long all steps take.',
    max_duration: 'After how long it expires.',
    hold: 'What stays on the old release after completion; null where nothing does.',
    'hold.share': 'Share of the units, a fraction.',
    'hold.for': 'How long.',
    limits: 'Largest rises that are no harm; null where the policy has none.',
    'limits.cost_per_run_usd': 'Of the mean cost per run, a fraction.',
    'limits.latency_ms': 'Of the mean latency, a fraction.',
    'limits.error_rate': 'Of the error rate, a difference.',
    dry_run: 'There, and true, where nothing was written.',
  },
})

/** GET /v1/rollouts */
export const RolloutList = type({ rollouts: Rollout.array() })

export const rolloutList = documented(RolloutList, {
  title: 'RolloutList',
  description: 'Rollouts, newest first.',
  fields: { rollouts: 'The rollouts.', ...under('rollouts[].', ROLLOUT_FIELDS) },
})

/** A start that is blocked whatever the policy says, and recorded but of a dry run. */
export const RolloutBlocked = type({ detail: { message: 'string', reasons: 'string[]' } })

export const rolloutBlocked = documented(RolloutBlocked, {
  title: 'RolloutBlocked',
  description: 'Why a rollout may not begin now. The attempt is in the audit log, unless it was a dry run.',
  fields: {
    detail: 'What blocks.',
    'detail.message': 'In short.',
    'detail.reasons': 'Each reason.',
  },
})

/** A rollout that waits for a confirmation. */
export const RolloutRequest = type({
  request_id: Identifier,
  status: "'pending' | 'completed' | 'cancelled'",
  ...Question,
  steps: type({ share: 'number', for: 'string' }).array(),
  max_duration: 'string',
  hold: Hold.or('null'),
  actor: 'string',
  'actor_identity?': Identity,
  created_at: Timestamp,
  'expires_at?': Timestamp,
  approvals_required: Count,
  approvals: Approval.array(),
  resolved_at: Timestamp.or('null'),
  resolved_by: 'string | null',
  'resolution?': type.enumerated(...RESOLUTIONS),
  resolution_reason: 'string | null',
  rollout_id: 'string | null',
  'warnings?': 'string[]',
})
export type RolloutRequest = typeof RolloutRequest.infer

const REQUEST_FIELDS = {
  request_id: 'Identifier of the request.',
  status: 'Where it stands.',
  ...QUESTION_FIELDS,
  steps: 'Its steps, in order.',
  'steps[].share': 'Share of the units that get the candidate, a fraction.',
  'steps[].for': 'How long the step takes at least.',
  max_duration: 'After how long it expires once it runs.',
  hold: 'What stays on the old release after completion; null where nothing does.',
  'hold.share': 'Share of the units, a fraction.',
  'hold.for': 'How long.',
  actor: 'Who asked.',
  ...identityFields('actor_identity'),
  created_at: 'When.',
  expires_at: 'Until when it can be confirmed; left out where that has no end.',
  approvals_required: 'How many confirmations it takes.',
  approvals: 'Those that were given.',
  ...under('approvals[].', APPROVAL_FIELDS),
  resolved_at: 'When it was settled; null while it waits.',
  resolved_by: 'Who settled it.',
  resolution: 'How it was cancelled, where nobody called it back.',
  resolution_reason: 'Why it was settled so.',
  rollout_id: 'The rollout that it became.',
  warnings: CONFIRMATION_WARNINGS,
} as const

export const rolloutRequest = documented(RolloutRequest, {
  title: 'RolloutRequest',
  description: 'A rollout that was asked for, and waits for a confirmation or was settled.',
  fields: REQUEST_FIELDS,
})

/** GET /v1/rollouts/requests */
export const RolloutRequestList = type({ requests: RolloutRequest.array() })

export const rolloutRequestList = documented(RolloutRequestList, {
  title: 'RolloutRequestList',
  description: 'Requests for rollouts, newest first.',
  fields: { requests: 'The requests.', ...under('requests[].', REQUEST_FIELDS) },
})

export const MODELS = {
  Rollout: rollout,
  RolloutBlocked: rolloutBlocked,
  RolloutDetail: rolloutDetail,
  RolloutList: rolloutList,
  RolloutRequest: rolloutRequest,
  RolloutRequestList: rolloutRequestList,
  StartedRollout: startedRollout,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
