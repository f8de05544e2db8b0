import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { READING_FIELDS, Reading } from '../../models/answers/reading.ts'
import { documented, under } from '../../models/docs.ts'
import { WATCH_STATES } from './rules_retry.ts'
import { Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'

/** One check of a watch. */
export const WatchCheck = type({
  number: Count,
  at: Timestamp,
  metrics: { cost_per_run_usd: Reading, latency_ms: Reading, error_rate: Reading },
  problems: 'string[]',
})
export type WatchCheck = typeof WatchCheck.infer

const CHECK_FIELDS = {
  number: 'Number of the check, from 1.',
  at: 'When it was, by the clock of the database.',
  metrics: 'What it saw.',
  ...Object.fromEntries(
    [
      ['cost_per_run_usd', 'The mean cost per run.'],
      ['latency_ms', 'The mean latency.'],
      ['error_rate', 'The share of failed runs.'],
    ].flatMap(([name, text]) => [
      [`metrics.${name}`, text!],
      ...Object.entries(under(`metrics.${name}.`, READING_FIELDS)),
    ]),
  ),
  problems: 'What could not be compared, say a model without a price.',
} as const

/** A release that is watched, or was. */
export const Watch = type({
  watch_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  baseline_release_id: Identifier,
  state: type.enumerated(...WATCH_STATES),
  auto_rollback: 'boolean',
  min_runs: Count,
  limits: { cost_per_run_usd: 'number', latency_ms: 'number', error_rate: 'number' },
  action_id: Identifier,
  baseline_since: Instant,
  started_at: Timestamp,
  started_by: 'string',
  ends_at: Timestamp,
  checks: Count,
  last_check: WatchCheck.or('null'),
  ended_at: Timestamp.or('null'),
  ended_because: 'string | null',
  ended_by: 'string | null',
  rollback: type({
    action_id: 'string | null',
    passed: 'boolean',
    reasons: 'string[]',
    'attempts?': Count,
    'next_attempt_at?': Timestamp.or('null'),
  }).or('null'),
})
export type Watch = typeof Watch.infer

const WATCH_FIELDS = {
  watch_id: 'Identifier of the watch.',
  agent_id: "The release's agent.",
  environment: 'Where it is live.',
  release_id: 'The release that is watched.',
  baseline_release_id: 'What it is compared with, and rolled back to.',
  state:
    'Where it stands; all but watching are final, but for regressed while a blocked rollback is tried again (rollback.next_attempt_at).',
  auto_rollback: 'Whether a regression rolls back, if the policy lets it.',
  min_runs:
    'Runs of the release below which nothing is concluded, but for failures that the exact bound proves from 10 runs on.',
  limits:
    'Largest rises that are no regression, as the policy had them when the watch began; 0 where it had none.',
  'limits.cost_per_run_usd': 'Of the mean cost per run, a fraction.',
  'limits.latency_ms': 'Of the mean latency, a fraction.',
  'limits.error_rate': 'Of the error rate, a difference.',
  action_id: 'The decision that made the release live.',
  baseline_since: 'From when on runs of the baseline count.',
  started_at: 'From when on runs of the release count.',
  started_by: 'Who began it; of a watch that a promotion began, who promoted.',
  ends_at: 'When it ends at the latest.',
  checks: 'How often it checked.',
  last_check: 'What it saw last; null before the first check.',
  ...under('last_check.', CHECK_FIELDS),
  ended_at: 'When it ended.',
  ended_because: 'Why it ended so.',
  ended_by: 'Who ended it; null where the watch itself did.',
  rollback: 'What became of its rollback; null where it tried none.',
  'rollback.action_id': 'The action on record; null where it could not even be evaluated.',
  'rollback.passed': 'Whether the pointer moved.',
  'rollback.reasons': 'Why it did not.',
  'rollback.attempts': 'How often it was tried; left out where it was once.',
  'rollback.next_attempt_at':
    'Only while a blocked rollback is tried again: when it is next at the latest, sooner if what blocks it changes; null where it waits for that alone, until the watch would have ended.',
} as const

const CanFind = type({
  cost_per_run_usd: 'number | null',
  latency_ms: 'number | null',
  error_rate: 'number | null',
})

/** POST /v1/watches: a watch that has begun, and what should be known of it. */
const StartedWatch = Watch.and({ 'can_find?': CanFind.or('null'), 'warnings?': 'string[]' })
export type StartedWatch = typeof StartedWatch.infer

export const watch = documented(StartedWatch, {
  title: 'Watch',
  description: 'A release that is watched, or was.',
  fields: {
    ...WATCH_FIELDS,
    can_find:
      'Rises of which half would be proven by its end, where the release runs as often as the baseline did; null where the baseline has fewer than four such days. Left out of one that is cancelled.',
    'can_find.cost_per_run_usd': 'Of the mean cost per run, a fraction; null where it has none.',
    'can_find.latency_ms': 'Of the mean latency, a fraction.',
    'can_find.error_rate': 'Of the error rate, a difference.',
    warnings: 'What may keep it from seeing anything.',
  },
})

/** GET /v1/watches/{watch_id} */
export const WatchDetail = Watch.and({ history: WatchCheck.array() })
export type WatchDetail = typeof WatchDetail.infer

export const watchDetail = documented(WatchDetail, {
  title: 'WatchDetail',
  description: 'A watch with its last 120 checks.',
  fields: {
    ...WATCH_FIELDS,
    history: 'Its last checks, oldest first.',
    ...under('history[].', CHECK_FIELDS),
  },
})

/** GET /v1/watches */
export const WatchList = type({ watches: Watch.array() })

export const watchList = documented(WatchList, {
  title: 'WatchList',
  description: 'Watches, newest first.',
  fields: { watches: 'The watches.', ...under('watches[].', WATCH_FIELDS) },
})

export const MODELS = {
  Watch: watch,
  WatchDetail: watchDetail,
  WatchList: watchList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'Watch.limits': 'WatchLimits',
  'Watch.last_check': 'WatchCheck',
  'Watch.last_check.metrics.cost_per_run_usd': 'WatchedMetric',
  'Watch.rollback': 'WatchRollback',
  'WatchList.watches': 'WatchRecord',
} as const

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
        'Runs of the live release below which nothing is concluded and nothing rolled back, but for failures that the exact bound proves from 10 runs on.',
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
