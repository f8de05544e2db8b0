import { type } from 'arktype'
import { Moment, Window, input, oneOf } from '../../models/all/input.ts'
import { ESTIMATE_FIELDS, Estimate } from '../../models/answers/statistics.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from '../../models/answers/window_used.ts'
import { documented, under } from '../../models/docs.ts'
import { Count, Dimension, Instant, NumberOrNull } from '../../models/scalars.ts'

/** The answer to POST /v1/diff/groups. */
export const DiffGroups = type({
  window: 'string',
  since: Instant,
  until: Instant,
  'window_used?': UsedWindow,
  filters: { environment: 'string', tenant_id: 'string | null', task_id: 'string | null' },
  by: "'tenant' | 'task' | 'model' | 'error'",
  metric: "'cost_per_run_usd' | 'latency_ms' | 'error_rate'",
  difference: NumberOrNull,
  rate: NumberOrNull,
  mix: NumberOrNull,
  mix_outweighs_rate: 'boolean',
  groups: type({
    key: 'string | null',
    baseline_runs: Count,
    candidate_runs: Count,
    baseline_mean: NumberOrNull,
    candidate_mean: NumberOrNull,
    difference: Estimate.or('null'),
    rate: 'number',
    mix: 'number',
    is_changed: 'boolean',
  }).array(),
  groups_total: Count,
  merged_groups: Count,
  warnings: 'string[]',
})
export type DiffGroups = typeof DiffGroups.infer

export const diffGroups = documented(DiffGroups, {
  title: 'DiffGroups',
  description: 'The difference of two releases, split into what groups of runs contribute.',
  fields: {
    window: 'The window as it was asked for.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive: the server clock when the request came.',
    ...WINDOW_USED_FIELDS,
    filters: 'Which events were compared.',
    'filters.environment': 'Environment; the default one where none was named.',
    'filters.tenant_id': 'Tenant; null means all.',
    'filters.task_id': 'Task; null means all.',
    by: 'What runs are grouped by.',
    metric: 'What is compared.',
    difference: "Candidate's mean less the baseline's, in the metric's unit; null where a side has no runs.",
    rate: 'Part of the difference that comes from what changed within groups.',
    mix: "Part that comes from the groups' shares of the runs. The parts add up to the difference.",
    mix_outweighs_rate: 'More of the difference comes from who sent runs than from what changed for them.',
    groups: 'The groups, largest contribution first.',
    'groups[].key':
      'The tenant, task, model or type of error; null for the rest, groups too small to tell apart.',
    'groups[].baseline_runs': 'Runs of the baseline.',
    'groups[].candidate_runs': 'Runs of the candidate.',
    'groups[].baseline_mean': 'Mean of the baseline; null without runs.',
    'groups[].candidate_mean': 'Mean of the candidate; null without runs.',
    'groups[].difference':
      "Candidate less baseline, with an interval so wide that all groups' together miss in 5 % of cases; null where a side has too few runs.",
    ...under('groups[].difference.', ESTIMATE_FIELDS),
    'groups[].rate': "The group's own change, times its share of the runs.",
    'groups[].mix': 'What the change of its share contributes.',
    'groups[].is_changed': 'Whether the interval excludes 0.',
    groups_total: 'How many groups there are; the 1,000 with the most runs are listed, the others are one.',
    merged_groups: 'How many groups are in the rest, because they have under 50 runs or there are too many.',
    warnings: 'What to know before these figures are believed.',
  },
})

export const MODELS = {
  DiffGroups: diffGroups,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'DiffGroups.window_used': 'WindowUsed',
  'DiffGroups.filters': 'EventFilters',
  'DiffGroups.groups.difference': 'Estimate',
} as const

/** What the endpoints take. */
export const INPUTS = {
  DiffByGroup: input({
    body: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
      by: [oneOf(['tenant', 'task', 'model', 'error']), 'What to group runs by.'],
      'metric?': [
        oneOf(['cost_per_run_usd', 'latency_ms', 'error_rate']),
        'What to compare; cost_per_run_usd unless given.',
      ],
      'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
      'tenant_id?': [Dimension, 'Exact filter.'],
      'task_id?': [Dimension, 'Exact filter.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
