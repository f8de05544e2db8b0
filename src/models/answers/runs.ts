import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { StoredEvent, storedEvent } from '../documents/stored_event.ts'
import { Count, Instant } from '../scalars.ts'

/** POST /v1/events */
export const IngestResult = type({
  inserted: Count,
  'skipped?': Count,
  'fed_by?': 'string[]',
  'warnings?': 'string[]',
})
export type IngestResult = typeof IngestResult.infer

export const ingestResult = documented(IngestResult, {
  title: 'IngestResult',
  description: 'What became of the events of a request.',
  fields: {
    inserted: 'Newly written events.',
    skipped:
      'Events that were not written: their run_id is stored already, they were erased, or those of their time were ' +
      'pruned; left out where there are none.',
    fed_by: 'Sources that sum the runs of days that skipped events are of; left out where there are none.',
    warnings:
      'Fields that were dropped, releases that are not registered, and events that were skipped though they differ ' +
      'from what is stored; left out where there are none.',
  },
})

/** GET /v1/runs */
export const RunsPage = type({
  release_id: 'string',
  since: Instant,
  until: Instant,
  filters: {
    environment: 'string',
    tenant_id: 'string | null',
    task_id: 'string | null',
    trace_id: 'string | null',
    session_id: 'string | null',
    span_id: 'string | null',
    'outcome?': "'success' | 'failed'",
    'error_type?': 'string',
    'min_latency_ms?': Count,
  },
  offset: Count,
  limit: Count,
  matched_total: Count,
  returned: Count,
  truncated: 'boolean',
  'warnings?': 'string[]',
  events: StoredEvent.array(),
})

export type RunsPage = typeof RunsPage.infer

export const runsPage = documented(RunsPage, {
  title: 'RunsPage',
  description: "A page of a release's run events, newest first.",
  fields: {
    release_id: 'The release.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    filters: 'The filters; null where unset.',
    'filters.environment': 'Environment; the default one where none was named.',
    'filters.tenant_id': 'Tenant.',
    'filters.task_id': 'Task.',
    'filters.trace_id': 'Trace.',
    'filters.session_id': 'Session.',
    'filters.span_id': 'Span.',
    'filters.outcome': 'How runs ended; left out where unset, as those below are.',
    'filters.error_type': 'Type of error.',
    'filters.min_latency_ms': 'Least latency, ms.',
    offset: 'Newest matching events that were skipped.',
    limit: 'Most events on this page.',
    matched_total: 'Matching events in the window.',
    returned: 'Events on this page.',
    truncated: 'Whether more matching events follow this page.',
    warnings: 'What the page may lack, because it was pruned.',
    events: 'The events, with all defaults applied.',
    ...under('events[].', storedEvent.docs.fields),
  },
})
