import { type } from 'arktype'
import { Label, Prose, Window, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { Reading } from '../../models/answers/reading.ts'
import { WATCH_STATES } from './rules_retry.ts'
import { Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

export const WatchCheck = object({
  number: [Count, 'Number of the check, from 1.'],
  at: [Timestamp, 'When it was, by the clock of the database.'],
  metrics: object('Its readings, by metric.', {
    cost_per_run_usd: [Reading, 'The mean cost per run.'],
    latency_ms: [Reading, 'The mean latency.'],
    error_rate: [Reading, 'The share of failed runs.'],
  }),
  problems: ['string[]', 'What could not be compared, such as a model without a price.'],
})
export type WatchCheck = typeof WatchCheck.infer

/** A release that is watched, or was. */
const WatchRecord = object({
  watch_id: [Identifier, 'Identifier of the watch.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'Where it is live.'],
  release_id: [Identifier, 'The release that is watched.'],
  baseline_release_id: [Identifier, 'The release to compare with, and to roll back to.'],
  state: [
    type.enumerated(...WATCH_STATES),
    'Its state. Final except watching, and except regressed while a blocked rollback is tried again (rollback.next_attempt_at).',
  ],
  auto_rollback: ['boolean', 'Whether a regression rolls back, if the policy lets it.'],
  min_runs: [
    Count,
    'Fewest runs of the release for a conclusion; failures that the exact bound proves count from 10 runs on.',
  ],
  limits: object(
    'Largest rises that are accepted, as the policy had them when the watch began; 0 if it had none.',
    {
      cost_per_run_usd: ['number', 'For the mean cost per run, a fraction.'],
      latency_ms: ['number', 'For the mean latency, a fraction.'],
      error_rate: ['number', 'Of the error rate, a difference.'],
    },
  ),
  action_id: [Identifier, 'The decision that made the release live.'],
  baseline_since: [Instant, 'From when on runs of the baseline count.'],
  started_at: [Timestamp, 'From when on runs of the release count.'],
  started_by: ['string', 'Who began it; if a promotion did, who promoted.'],
  ends_at: [Timestamp, 'When it ends at the latest.'],
  checks: [Count, 'How often it checked.'],
  last_check: [WatchCheck.or('null'), 'The last check; null before the first.'],
  ended_at: [Timestamp.or('null'), 'When it ended.'],
  ended_because: ['string | null', 'Why it ended so.'],
  ended_by: ['string | null', 'Who ended it; null if the watch did.'],
  rollback: object('Its rollback; null if it tried none.', {
    action_id: ['string | null', 'The recorded action; null if it could not be evaluated.'],
    passed: ['boolean', 'Whether the live release changed.'],
    reasons: ['string[]', 'Why it did not change.'],
    'attempts?': [Count, 'How often it was tried; left out if once.'],
    'next_attempt_at?': [
      Timestamp.or('null'),
      'Only while a blocked rollback is tried again: the latest time of the next try, sooner if the cause changes; null if it waits only for that change, until the watch would have ended.',
    ],
  }).or('null'),
})
export type Watch = typeof WatchRecord.infer

const CanFind = object({
  cost_per_run_usd: ['number | null', 'For the mean cost per run, a fraction; null if it has none.'],
  latency_ms: ['number | null', 'For the mean latency, a fraction.'],
  error_rate: ['number | null', 'Of the error rate, a difference.'],
})

/** POST /v1/watches: a watch that has begun, and what should be known of it. */
export const Watch = object('A watch, running or ended.', {
  '...': WatchRecord,
  'can_find?': [
    CanFind.or('null'),
    'Rises of which half would be proven by its end, if the release runs as often as the baseline did; null if the baseline has fewer than four such days. Left out of a cancelled watch.',
  ],
  'warnings?': ['string[]', 'What may keep it from finding anything.'],
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
      agent_id: [Dimension, 'Agent of the live release.'],
      environment: [Label, 'Environment of the live release.'],
      'for?': [Window, 'How long: {N}d, {N}h or {N}m.'],
      'against?': [Dimension, 'Release to compare with; default the live release before.'],
      'auto_rollback?': [
        type.boolean,
        'Whether a regression rolls back to that release, if the policy lets it.',
      ],
      'min_runs?': [
        type('10 <= number.integer <= 1000000'),
        'Fewest runs of the live release for a conclusion or a rollback; failures that the exact bound proves count from 10 runs on.',
      ],
      ...whoField(),
    },
  }),
  WatchesShow: input({
    path: { watch_id: [Dimension, 'Identifier of the watch.'] },
  }),
  WatchesCancel: input({
    path: { watch_id: [Dimension, 'Identifier of the watch.'] },
    body: {
      reason: [Prose, 'Why; kept with the watch.'],
      ...whoField('ends it'),
    },
  }),
} as const
