import { Moment, Window, input } from '../../models/all/input.ts'
import { Count, Dimension, Identifier, Instant, NumberOrNull } from '../../models/scalars.ts'
import { UsedWindow } from '../../models/answers/window_used.ts'
import { object } from '../../models/model.ts'

/** The answer to GET /v1/policy/advice. */
export const PolicyAdvice = object(
  'Which limits on a change could be proved with the traffic of a release.',
  {
    agent_id: [Identifier, 'The agent.'],
    environment: [Identifier, 'The environment.'],
    release_id: [
      Identifier,
      'The release whose runs were counted: the promoted one unless another was asked for.',
    ],
    since: [Instant, 'Start of the window, inclusive.'],
    until: [Instant, 'End of the window, exclusive.'],
    'window_used?': UsedWindow,
    runs_per_day: ['number', 'Its runs per day, in the time from its first to its last run in the window.'],
    'limits_at_once?': [
      Count,
      'So many limits of the policy in force must hold at once, which the runs are planned for.',
    ],
    metrics: object('What can be limited.', {
      metric: ["'cost_per_run_usd' | 'latency_ms' | 'error_rate'", 'The metric.'],
      policy_key: [
        "'max_cost_increase_pct' | 'max_latency_increase_pct' | 'max_error_rate_increase'",
        'The key of a policy that limits it.',
      ],
      runs: [Count, 'Runs that carry it.'],
      mean: [NumberOrNull, 'Its mean; null without runs.'],
      variation: [NumberOrNull, 'Standard deviation of single runs by mean; null of a rate.'],
      design_effect: [
        NumberOrNull,
        'How many times the runs it takes because runs at about the same time resemble each other; null where that is not known.',
      ],
      limits: object('Limits, and what it takes to prove them.', {
        limit: ['number', 'The limit: of a mean a fraction, of a rate a difference.'],
        runs_per_side: [
          NumberOrNull,
          'Runs of each side with which an unchanged release passes in 80 of 100 cases; null where none suffice.',
        ],
        days: [NumberOrNull, 'Days that takes, where both sides share the traffic; null without any.'],
      }).array(),
    }).array(),
  },
)
export type PolicyAdvice = typeof PolicyAdvice.infer

/** What the endpoints take. */
export const INPUTS = {
  Confidence: input({
    query: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
      'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
      'tenant_id?': [
        Identifier,
        'Exact filter; then up to 90 days back are searched for a window that holds enough.',
      ],
      'task_id?': [Identifier, 'Exact filter, likewise.'],
    },
  }),
  AdvisePolicy: input({
    query: {
      agent_id: [Dimension, 'The agent.'],
      'release_id?': [Dimension, 'Its release; what is promoted unless given.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
      'window?': [Window, 'How far back; 14d unless given: {N}d, {N}h or {N}m.'],
    },
  }),
} as const
