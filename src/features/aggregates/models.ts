import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { Checksum, Count, Day, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** The body of POST /v1/aggregates, as far as JSON Schema can say it: a line of it. */
export const Aggregates = object(
  'JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/aggregates.md has all fields.',
  {
    'aggregates?': ["'v1'", 'Of the header: the version of the format.'],
    'aggregate?': ["'runs' | 'latency' | 'parts' | 'scores'", 'Of all other lines: what is summed.'],
  },
)

/** POST /v1/aggregates */
export const AggregatesImported = object('What became of the aggregates of an import.', {
  import_id: [Checksum, 'SHA-256 of the header and the aggregates, in whatever order they came.'],
  source: [Identifier, 'Whose aggregates they are.'],
  unchanged: ['boolean', 'Whether the very same was imported before.'],
  aggregates: [Count, 'Aggregates of the import.'],
  runs: [Count, 'Runs that they sum.'],
  hours: [Count, 'Hours that were written.'],
  replaced: [Count, 'Aggregates that were there and are others now.'],
  removed: [Count, 'Aggregates that were there and are gone: the source is complete without them.'],
  stale: [Count, 'Hours of which a later state was there already.'],
})
export type AggregatesImported = typeof AggregatesImported.infer

const Feed = object({
  release_id: [Identifier, 'The release.'],
  environment: [Identifier, 'Where it runs.'],
  from: [Day, 'The day (UTC) from which on its runs are those that sources sum.'],
})

/** A source of aggregates. */
export const AggregateSource = object({
  source: [Identifier, 'Its name.'],
  engine: ['string', 'The engine that sums.'],
  query_sha256: [Checksum, 'SHA-256 of the query that it sums by.'],
  run_url: [
    'string | null',
    'Where runs can be seen, with {release}, {from_ms} and {to_ms}; null where that is not known.',
  ],
  created_at: [Timestamp, 'When it came first.'],
  created_by: ['string', 'Who sent it first.'],
  covered_until: [Timestamp.or('null'), 'Up to when it was complete last.'],
  as_of: [Timestamp.or('null'), 'When its engine was in the newest state that was imported.'],
  imports: [Count, 'How many imports there were.'],
  imported_at: [Timestamp.or('null'), 'When the last one was.'],
  releases: [Count, 'How many releases it feeds, by environment.'],
  feeds: [Feed.array(), 'Those, the ones that it feeds since lately first, at most 100.'],
})
export type AggregateSource = typeof AggregateSource.infer

/** GET /v1/aggregates/sources */
export const AggregateSourceList = object('List the sources of aggregates that were never sent one by one.', {
  sources: [AggregateSource.array(), 'The sources, by name.'],
})

/** `svc aggregates import` */
export const AggregatesImports = object(
  'What became of aggregates, import by import: a long file is sent some hours at a time.',
  { imports: [AggregatesImported.array(), 'The imports.'] },
)

/** What the endpoints take. */
export const INPUTS = {
  AggregatesImport: input({
    query: {
      allow_fewer: [
        type.boolean,
        'Takes hours of which the engine has fewer runs than it had; kept in the audit log. Takes an admin.',
        false,
      ],
      'reason?': [Prose, 'Why the engine has fewer, or is another; kept in the audit log.'],
    },
  }),
} as const
