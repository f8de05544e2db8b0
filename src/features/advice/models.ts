import { Moment, Window, input } from '../../models/all/input.ts'
import { Count, Dimension, Identifier, Instant, NumberOrNull } from '../../models/scalars.ts'
import { type } from 'arktype'
import { documented } from '../../models/docs.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from '../../models/answers/window_used.ts'

/** The answer to GET /v1/policy/advice. */
export const PolicyAdvice = type({
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  since: Instant,
  until: Instant,
  'window_used?': UsedWindow,
  runs_per_day: 'number',
  'limits_at_once?': Count,
  metrics: type({
    metric: "'cost_per_run_usd' | 'latency_ms' | 'error_rate'",
    policy_key: "'max_cost_increase_pct' | 'max_latency_increase_pct' | 'max_error_rate_increase'",
    runs: Count,
    mean: NumberOrNull,
    variation: NumberOrNull,
    design_effect: NumberOrNull,
    limits: type({ limit: 'number', runs_per_side: NumberOrNull, days: NumberOrNull }).array(),
  }).array(),
})
export type PolicyAdvice = typeof PolicyAdvice.infer

export const policyAdvice = documented(PolicyAdvice, {
  title: 'PolicyAdvice',
  description: 'Which limits on a change could be proved with the traffic of a release.',
  fields: {
    agent_id: 'The agent.',
    environment: 'The environment.',
    release_id: 'The release whose runs were looked at: the promoted one unless another was asked for.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    ...WINDOW_USED_FIELDS,
    runs_per_day: 'Its runs per day, in the time from its first to its last run in the window.',
    limits_at_once:
      'So many limits of the policy in force must hold at once, which the runs are planned for.',
    metrics: 'What can be limited.',
    'metrics[].metric': 'The metric.',
    'metrics[].policy_key': 'The key of a policy that limits it.',
    'metrics[].runs': 'Runs that carry it.',
    'metrics[].mean': 'Its mean; null without runs.',
    'metrics[].variation': 'Standard deviation of single runs by mean; null of a rate.',
    'metrics[].design_effect':
      'How many times the runs it takes because runs at about the same time resemble each other; null where that is not known.',
    'metrics[].limits': 'Limits, and what it takes to prove them.',
    'metrics[].limits[].limit': 'The limit: of a mean a fraction, of a rate a difference.',
    'metrics[].limits[].runs_per_side':
      'Runs of each side with which an unchanged release passes in 80 of 100 cases; null where none suffice.',
    'metrics[].limits[].days': 'Days that takes, where both sides share the traffic; null without any.',
  },
})

export const MODELS = { PolicyAdvice: policyAdvice } as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
      'release_id?': [Dimension, 'Its release to look at; what is promoted unless given.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
      'window?': [Window, 'How far back; 14d unless given: {N}d, {N}h or {N}m.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
