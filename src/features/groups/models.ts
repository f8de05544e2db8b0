import { COMPARED_FILTERS } from '../../models/answers/filters.ts'
import { Moment, Window, input, oneOf } from '../../models/all/input.ts'
import { Estimate } from '../../models/answers/statistics.ts'
import { UsedWindow } from '../../models/answers/window_used.ts'
import { Count, Dimension, Instant, NumberOrNull } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** The answer to POST /v1/diff/groups. */
export const DiffGroups = object('The difference of two releases, split by groups of runs.', {
  window: ['string', 'The window of the request.'],
  since: [Instant, 'Start of the window, inclusive.'],
  until: [Instant, 'End of the window, exclusive: the server clock when the request came.'],
  'window_used?': UsedWindow,
  filters: object('Which events were compared.', COMPARED_FILTERS),
  by: ["'tenant' | 'task' | 'model' | 'error'", 'What runs are grouped by.'],
  metric: ["'cost_per_run_usd' | 'latency_ms' | 'error_rate'", 'What is compared.'],
  difference: [
    NumberOrNull,
    "Candidate's mean minus the baseline's, in the metric's unit; null if a release has no runs.",
  ],
  rate: [NumberOrNull, 'Part of the difference from changes within groups.'],
  mix: [
    NumberOrNull,
    "Part of the difference from the groups' shares of the runs. The parts add up to the difference.",
  ],
  mix_outweighs_rate: [
    'boolean',
    'Whether more of the difference comes from who sent runs than from what changed for them.',
  ],
  groups: object('The groups, largest contribution first.', {
    key: [
      'string | null',
      'The tenant, task, model or type of error; null for the rest, groups that are too small.',
    ],
    baseline_runs: [Count, 'Runs of the baseline.'],
    candidate_runs: [Count, 'Runs of the candidate.'],
    baseline_mean: [NumberOrNull, 'Mean of the baseline; null without runs.'],
    candidate_mean: [NumberOrNull, 'Mean of the candidate; null without runs.'],
    difference: [
      Estimate.or('null'),
      "Candidate minus baseline, with an interval so wide that all groups' intervals together miss in 5 % of cases; null if a release has too few runs.",
    ],
    rate: ['number', "The group's own change, times its share of the runs."],
    mix: ['number', 'What the change of its share contributes.'],
    is_changed: ['boolean', 'Whether the interval excludes 0.'],
    share: [NumberOrNull, 'Its share of the difference; null if that is under 0.05 %, or unknown.'],
  }).array(),
  main: object('The group that at least half of the difference comes from; null without one.', {
    key: ['string', 'The group.'],
    share: ['number', 'Its share of the difference.'],
  }).or('null'),
  groups_total: [
    Count,
    'How many groups there are; the 1,000 with the most runs are listed, the others are combined.',
  ],
  merged_groups: [
    Count,
    'How many groups are in the rest, because they have under 50 runs or there are too many.',
  ],
  warnings: ['string[]', 'Warnings about these figures.'],
})
export type DiffGroups = typeof DiffGroups.infer

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
        'The metric to compare; default cost_per_run_usd.',
      ],
      'until?': [Moment, 'The end of the window, an ISO-8601 date and time; default now.'],
      'environment?': [Dimension, 'Default: the default environment of the workspace.'],
      'tenant_id?': [Dimension, 'Exact filter.'],
      'task_id?': [Dimension, 'Exact filter.'],
    },
  }),
} as const
