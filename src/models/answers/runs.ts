import { RUN_FILTERS } from './filters.ts'
import { StoredEvent } from '../documents/stored_event.ts'
import { Count, Instant } from '../scalars.ts'
import { object } from '../model.ts'

/** POST /v1/events */
export const IngestResult = object('The outcome of the events of a request.', {
  inserted: [Count, 'Newly written events.'],
  'skipped?': [
    Count,
    'Events that were not written: their run_id is stored already, they were erased, or their time was pruned; left out if there are none.',
  ],
  'fed_by?': [
    'string[]',
    'Sources of aggregates for the days of skipped events; left out if there are none.',
  ],
  'warnings?': [
    'string[]',
    'Dropped fields, unregistered releases, and skipped events that differ from the stored ones; left out if there are none.',
  ],
})
export type IngestResult = typeof IngestResult.infer

/** GET /v1/runs */
export const RunsPage = object("A page of a release's run events, newest first.", {
  release_id: ['string', 'The release.'],
  since: [Instant, 'Start of the window, inclusive.'],
  until: [Instant, 'End of the window, exclusive.'],
  filters: object('The filters; null if unset.', {
    ...RUN_FILTERS,
    trace_id: ['string | null', 'Trace.'],
    session_id: ['string | null', 'Session.'],
    span_id: ['string | null', 'Span.'],
    'outcome?': ["'success' | 'failed'", 'How runs ended; left out if unset, as those below.'],
    'error_type?': ['string', 'Type of error.'],
    'min_latency_ms?': [Count, 'Least latency, ms.'],
  }),
  offset: [Count, 'Newest matching events that were skipped.'],
  limit: [Count, 'Most events on this page.'],
  matched_total: [Count, 'Matching events in the window.'],
  returned: [Count, 'Events on this page.'],
  truncated: ['boolean', 'Whether more matching events follow this page.'],
  'warnings?': ['string[]', 'What the page may lack, because it was pruned.'],
  events: [StoredEvent.array(), 'The events, with all defaults applied.'],
})

export type RunsPage = typeof RunsPage.infer
