import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { StoredEvent, storedEvent } from '../documents/stored_event.ts'
import { Instant } from '../scalars.ts'

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
