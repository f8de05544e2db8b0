import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { Reading } from '../../models/answers/reading.ts'
import { WATCH_STATES } from './rules_retry.ts'
import { Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** One check of a watch. */
export const WatchCheck = object({
  number: [Count, 'Number of the check, from 1.'],
  at: [Timestamp, 'When it was, by the clock of the database.'],
  metrics: object('What it saw.', {
    cost_per_run_usd: [Reading, 'The mean cost per run.'],
    latency_ms: [Reading, 'The mean latency.'],
    error_rate: [Reading, 'The share of failed runs.'],
  }),
  problems: ['string[]', 'What could not be compared, say a model without a price.'],
})
export type WatchCheck = typeof WatchCheck.infer

/** A release that is watched, or was. */
const WatchRecord = object({
  watch_id: [Identifier, 'Identifier of the watch.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'Where it is live.'],
  release_id: [Identifier, 'The release that is watched.'],
  baseline_release_id: [Identifier, 'What it is compared with, and rolled back to.'],
  state: [
    type.enumerated(...WATCH_STATES),
    'Where it stands; all but watching are final, but for regressed while a blocked rollback is tried again (rollback.next_attempt_at).',
  ],
  auto_rollback: ['boolean', 'Whether a regression rolls back, if the policy lets it.'],
  min_runs: [
    Count,
    'Runs of the release below which nothing is concluded, but for failures that the exact bound proves from 10 runs on.',
  ],
  limits: object(
    'Largest rises that are no regression, as the policy had them when the watch began; 0 where it had none.',
    {
      cost_per_run_usd: ['number', 'Of the mean cost per run, a fraction.'],
      latency_ms: ['number', 'Of the mean latency, a fraction.'],
      error_rate: ['number', 'Of the error rate, a difference.'],
    },
  ),
  action_id: [Identifier, 'The decision that made the release live.'],
  baseline_since: [Instant, 'From when on runs of the baseline count.'],
  started_at: [Timestamp, 'From when on runs of the release count.'],
  started_by: ['string', 'Who began it; of a watch that a promotion began, who promoted.'],
  ends_at: [Timestamp, 'When it ends at the latest.'],
  checks: [Count, 'How often it checked.'],
  last_check: [WatchCheck.or('null'), 'What it saw last; null before the first check.'],
  ended_at: [Timestamp.or('null'), 'When it ended.'],
  ended_because: ['string | null', 'Why it ended so.'],
  ended_by: ['string | null', 'Who ended it; null where the watch itself did.'],
  rollback: object('What became of its rollback; null where it tried none.', {
    action_id: ['string | null', 'The action on record; null where it could not even be evaluated.'],
    passed: ['boolean', 'Whether the pointer moved.'],
    reasons: ['string[]', 'Why it did not.'],
    'attempts?': [Count, 'How often it was tried; left out where it was once.'],
    'next_attempt_at?': [
      Timestamp.or('null'),
      'Only while a blocked rollback is tried again: when it is next at the latest, sooner if what blocks it changes; null where it waits for that alone, until the watch would have ended.',
    ],
  }).or('null'),
})
export type Watch = typeof WatchRecord.infer

const CanFind = object({
  cost_per_run_usd: ['number | null', 'Of the mean cost per run, a fraction; null where it has none.'],
  latency_ms: ['number | null', 'Of the mean latency, a fraction.'],
  error_rate: ['number | null', 'Of the error rate, a difference.'],
})

/** POST /v1/watches: a watch that has begun, and what should be known of it. */
export const Watch = object('A release that is watched, or was.', {
  '...': WatchRecord,
  'can_find?': [
    CanFind.or('null'),
    'Rises of which half would be proven by its end, where the release runs as often as the baseline did; null where the baseline has fewer than four such days. Left out of one that is cancelled.',
  ],
  'warnings?': ['string[]', 'What may keep it from seeing anything.'],
})
export type StartedWatch = typeof Watch.infer

/** GET /v1/watches/{watch_id} */
export const WatchDetail = object('A watch with its last 120 checks.', {
  '...': WatchRecord,
  history: [WatchCheck.array(), 'Its last checks, oldest first.'],
})
export type WatchDetail = typeof WatchDetail.infer

/** GET /v1/watches */
export const WatchList = object('Watches, newest first.', { watches: [WatchRecord.array(), 'The watches.'] })

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
