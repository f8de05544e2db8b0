import { RUN_FILTERS } from '../../models/answers/filters.ts'
import { type } from 'arktype'
import { Moment, Window, input, limitField, oneOf } from '../../models/all/input.ts'
import { StoredEvent } from '../../models/documents/stored_event.ts'
import { Amount, Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** GET /v1/runs/find */
export const FoundRuns = object('Runs of any release that an identifier belongs to, newest first.', {
  id: ['string', 'The searched identifier.'],
  since: [Instant, 'Start of the window for traces, sessions and spans, inclusive.'],
  until: [Instant, 'End of that window, exclusive.'],
  truncated: ['boolean', 'Whether more runs match.'],
  runs: object('The runs; empty where the identifier is unknown.', {
    matched_by: ["'run' | 'trace' | 'session' | 'span'", 'Its kind of identifier.'],
    event: [StoredEvent, 'The event, with all defaults applied.'],
  }).array(),
})
export type FoundRuns = typeof FoundRuns.infer

const RUNS = {
  release_id: [Dimension, 'Release whose events to read.'],
  window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
  'until?': [Moment, 'The end of the window, an ISO-8601 date and time; default now.'],
  'environment?': [Dimension, 'Default: the default environment of the workspace.'],
  'tenant_id?': [Identifier, 'Exact filter.'],
  'task_id?': [Identifier, 'Exact filter.'],
} as const

/** GET /v1/runs/series */
export const RunSeries = object(
  "A release's runs over time. Buckets are whole, so the first may start before the window.",
  {
    release_id: [Identifier, 'The release.'],
    environment: ['string', "Environment; default the workspace's."],
    since: [Instant, 'Start of the window, inclusive.'],
    until: [Instant, 'End of the window, exclusive.'],
    bucket_ms: [Count, 'Width of a bucket, milliseconds; buckets are counted from 1970 on.'],
    buckets: object('The buckets with runs, oldest first.', {
      start: [Timestamp, 'Start of the bucket, inclusive.'],
      runs: [Count, 'Runs in the bucket.'],
      cost_per_run_usd: [Amount.or('null'), 'Mean cost of a run, USD; null if one has no price.'],
      latency_ms_avg: [Amount.or('null'), 'Mean latency, ms; null without data.'],
      error_rate: ['0 <= number <= 1', 'Share of the runs that failed.'],
      tokens_per_run: [Amount, 'Mean of the input and output tokens of a run.'],
    }).array(),
  },
)
export type RunSeries = typeof RunSeries.infer

/** GET /v1/runs/worst */
export const WorstRuns = object(
  'The runs of a release that cost most, took longest or failed last, of the newest 50,000.',
  {
    release_id: [Identifier, 'The release.'],
    since: [Instant, 'Start of the window, inclusive.'],
    until: [Instant, 'End of the window, exclusive.'],
    filters: object('The filters; null if unset.', RUN_FILTERS),
    by: ["'cost' | 'latency' | 'failure'", 'What makes a run bad.'],
    examined: [Count, 'Newest matching events that were checked.'],
    truncated: ['boolean', 'Whether older events match that were not checked.'],
    runs: object('The worst first; of failures the newest first.', {
      cost_usd: [Amount.or('null'), 'Cost of the run, USD; null if its model has no price.'],
      event: [StoredEvent, 'The event, with all defaults applied.'],
    }).array(),
  },
)
export type WorstRuns = typeof WorstRuns.infer

export const PART_NAMES = {
  'FoundRuns.runs.event': 'StoredEvent',
  'FoundRuns.runs.event.usage.model': 'StoredModelUsage',
} as const

/** What the endpoints take. */
export const INPUTS = {
  RunsFind: input({
    query: {
      id: [Dimension, 'The whole identifier.'],
      'window?': [
        Window,
        'How far back traces, sessions and spans are searched: {N}d, {N}h or {N}m; default 30d.',
      ],
      ...limitField('runs', 100),
    },
  }),
  RunsSeries: input({
    query: RUNS,
  }),
  RunsWorst: input({
    query: {
      ...RUNS,
      'by?': [oneOf(['cost', 'latency', 'failure']), 'What makes a run bad. Default cost.'],
      limit: [type('1 <= number.integer <= 100'), 'Most runs to return.', 10],
    },
  }),
} as const
