import { type } from 'arktype'
import { Moment, Window, input, limitField, oneOf } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { StoredEvent, storedEvent } from '../../models/documents/stored_event.ts'
import { Amount, Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'

/** GET /v1/runs/find */
export const FoundRuns = type({
  id: 'string',
  since: Instant,
  until: Instant,
  truncated: 'boolean',
  runs: type({ matched_by: "'run' | 'trace' | 'session' | 'span'", event: StoredEvent }).array(),
})
export type FoundRuns = typeof FoundRuns.infer

export const foundRuns = documented(FoundRuns, {
  title: 'FoundRuns',
  description: 'Runs of any release that an identifier belongs to, newest first.',
  fields: {
    id: 'What was looked for.',
    since: 'Start of the window that traces, sessions and spans were looked for in, inclusive.',
    until: 'End of that window, exclusive.',
    truncated: 'Whether more runs match.',
    runs: 'The runs; empty where the identifier is unknown.',
    'runs[].matched_by': 'Which identifier of the run it is.',
    'runs[].event': 'The event, with all defaults applied.',
    ...under('runs[].event.', storedEvent.docs.fields),
  },
})

/** Which runs are looked at. */
const RUNS = {
  release_id: [Dimension, 'Release whose events to read.'],
  window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
  'until?': [Moment, 'Where the window ends, unless now: an ISO-8601 date and time.'],
  'environment?': [Dimension, 'The default environment of the workspace unless given.'],
  'tenant_id?': [Identifier, 'Exact filter.'],
  'task_id?': [Identifier, 'Exact filter.'],
} as const

/** GET /v1/runs/series */
export const RunSeries = type({
  release_id: Identifier,
  environment: 'string',
  since: Instant,
  until: Instant,
  bucket_ms: Count,
  buckets: type({
    start: Timestamp,
    runs: Count,
    cost_per_run_usd: Amount.or('null'),
    latency_ms_avg: Amount.or('null'),
    error_rate: '0 <= number <= 1',
    tokens_per_run: Amount,
  }).array(),
})
export type RunSeries = typeof RunSeries.infer

export const runSeries = documented(RunSeries, {
  title: 'RunSeries',
  description: "A release's runs over time. Buckets are whole, so the first may start before the window.",
  fields: {
    release_id: 'The release.',
    environment: 'Environment; the default one where none was named.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    bucket_ms: 'Width of a bucket, milliseconds; buckets are counted from 1970 on.',
    buckets: 'The buckets that hold runs, oldest first.',
    'buckets[].start': 'Start of the bucket, inclusive.',
    'buckets[].runs': 'Runs in the bucket.',
    'buckets[].cost_per_run_usd': 'Mean cost of a run, USD; null where one has no price.',
    'buckets[].latency_ms_avg': 'Mean latency, ms; null without data.',
    'buckets[].error_rate': 'Share of the runs that failed.',
    'buckets[].tokens_per_run': 'Mean of the input and output tokens of a run.',
  },
})

/** GET /v1/runs/worst */
export const WorstRuns = type({
  release_id: Identifier,
  since: Instant,
  until: Instant,
  filters: { environment: 'string', tenant_id: 'string | null', task_id: 'string | null' },
  by: "'cost' | 'latency' | 'failure'",
  examined: Count,
  truncated: 'boolean',
  runs: type({ cost_usd: Amount.or('null'), event: StoredEvent }).array(),
})
export type WorstRuns = typeof WorstRuns.infer

export const worstRuns = documented(WorstRuns, {
  title: 'WorstRuns',
  description: 'The runs of a release that cost most, took longest or failed last, of the newest 50,000.',
  fields: {
    release_id: 'The release.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    filters: 'The filters; null where unset.',
    'filters.environment': 'Environment; the default one where none was named.',
    'filters.tenant_id': 'Tenant.',
    'filters.task_id': 'Task.',
    by: 'What makes a run bad.',
    examined: 'Newest matching events that were looked at.',
    truncated: 'Whether older events match that were not looked at.',
    runs: 'The worst first; of failures the newest first.',
    'runs[].cost_usd': 'Cost of the run, USD; null where its model has no price.',
    'runs[].event': 'The event, with all defaults applied.',
    ...under('runs[].event.', storedEvent.docs.fields),
  },
})

export const MODELS = {
  RunSeries: runSeries,
  WorstRuns: worstRuns,
  FoundRuns: foundRuns,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'FoundRuns.runs.event': 'StoredEvent',
} as const

/** What the endpoints take. */
export const INPUTS = {
  RunsFind: input({
    query: {
      id: [Dimension, 'The whole identifier.'],
      'window?': [
        Window,
        'How far back to look for traces, sessions and spans; 30d unless given: {N}d, {N}h or {N}m.',
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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
