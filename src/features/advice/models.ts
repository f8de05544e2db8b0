import { Moment, Window, input } from '../../models/all/input.ts'
import { Count, Dimension, Identifier, Instant, NumberOrNull } from '../../models/scalars.ts'
import { UsedWindow } from '../../models/answers/window_used.ts'
import { object } from '../../models/model.ts'

/** The answer to GET /v1/policy/advice. */
export const PolicyAdvice = object('Limits on a change that the traffic of a release can prove.', {
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
  release_id: [Identifier, 'The release whose runs were counted: by default the live one.'],
  since: [Instant, 'Start of the window, inclusive.'],
  until: [Instant, 'End of the window, exclusive.'],
  'window_used?': UsedWindow,
  runs_per_day: ['number', 'Its runs per day, from its first to its last run in the window.'],
  'limits_at_once?': [
    Count,
    'Number of limits of the policy in force that must be met at once; the runs are planned for all of them.',
  ],
  metrics: object('The metrics that can be limited.', {
    metric: ["'cost_per_run_usd' | 'latency_ms' | 'error_rate'", 'The metric.'],
    policy_key: [
      "'max_cost_increase_pct' | 'max_latency_increase_pct' | 'max_error_rate_increase'",
      "The policy's key that limits it.",
    ],
    runs: [Count, 'Runs that have it.'],
    mean: [NumberOrNull, 'Its mean; null without runs.'],
    variation: [NumberOrNull, 'Standard deviation of single runs by mean; null for a rate.'],
    design_effect: [
      NumberOrNull,
      'How many times more runs are needed because runs at about the same time are similar; null if unknown.',
    ],
    limits: object('Limits, and the runs that prove them.', {
      limit: ['number', 'The limit: of a mean a fraction, of a rate a difference.'],
      runs_per_side: [
        NumberOrNull,
        'Runs of each release with which an unchanged release passes in 80 of 100 cases; null if no number suffices.',
      ],
      days: [
        NumberOrNull,
        'Days for that many runs, if both releases share the traffic; null without traffic.',
      ],
    }).array(),
  }).array(),
})
export type PolicyAdvice = typeof PolicyAdvice.infer

/** What the endpoints take. */
export const INPUTS = {
  Confidence: input({
    query: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
      'until?': [Moment, 'The end of the window, an ISO-8601 date and time; default now.'],
      'environment?': [Dimension, 'Default: the default environment of the workspace.'],
      'tenant_id?': [
        Identifier,
        'Exact filter; then up to 90 days back are searched for a window with enough runs.',
      ],
      'task_id?': [Identifier, 'Exact filter, likewise.'],
    },
  }),
  AdvisePolicy: input({
    query: {
      agent_id: [Dimension, 'The agent.'],
      'release_id?': [Dimension, 'Release of the agent; default the live one.'],
      'environment?': [Dimension, 'Default: the default environment of the workspace.'],
      'window?': [Window, 'How far back: {N}d, {N}h or {N}m; default 14d.'],
    },
  }),
} as const
