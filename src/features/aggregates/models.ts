import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { Checksum, Count, Day, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** The body of POST /v1/aggregates, as far as JSON Schema can say it: a line of it. */
export const Aggregates = object(
  'JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/aggregates.md has all fields.',
  {
    'aggregates?': ["'v1'", 'Only in the header: the version of the format.'],
    'aggregate?': ["'runs' | 'latency' | 'parts' | 'scores'", 'Only in the other lines: the kind of sums.'],
  },
)

/** POST /v1/aggregates */
export const AggregatesImported = object('The result of an import of aggregates.', {
  import_id: [Checksum, 'SHA-256 of the header and the aggregates, in any order.'],
  source: [Identifier, 'The source of the aggregates.'],
  unchanged: ['boolean', 'Whether the same aggregates were imported before.'],
  aggregates: [Count, 'Aggregates of the import.'],
  runs: [Count, 'Runs that they sum.'],
  hours: [Count, 'Hours that were written.'],
  replaced: [Count, 'Aggregates that replaced others.'],
  removed: [Count, 'Aggregates that were removed: the source is complete without them.'],
  stale: [Count, 'Hours that were skipped, because a later state was there already.'],
})
export type AggregatesImported = typeof AggregatesImported.infer

const Feed = object({
  release_id: [Identifier, 'The release.'],
  environment: [Identifier, 'Its environment.'],
  from: [Day, 'The first day (UTC) whose runs come from sources.'],
})

export const AggregateSource = object({
  source: [Identifier, 'Its name.'],
  engine: ['string', 'The engine that makes the sums.'],
  query_sha256: [Checksum, 'SHA-256 of the query that makes the sums.'],
  run_url: ['string | null', 'A link to the runs, with {release}, {from_ms} and {to_ms}; null if unknown.'],
  created_at: [Timestamp, 'When the first import came.'],
  created_by: ['string', 'Who sent the first import.'],
  covered_until: [Timestamp.or('null'), 'The time of its last complete state.'],
  as_of: [Timestamp.or('null'), "The engine's time of the newest imported state."],
  imports: [Count, 'How many imports there were.'],
  imported_at: [Timestamp.or('null'), 'When the last one was.'],
  releases: [Count, 'How many releases it feeds, by environment.'],
  feeds: [Feed.array(), 'The releases that it feeds, the newest first, at most 100.'],
})
export type AggregateSource = typeof AggregateSource.infer

/** GET /v1/aggregates/sources */
export const AggregateSourceList = object('Lists the sources of aggregates.', {
  sources: [AggregateSource.array(), 'The sources, by name.'],
})

/** `svc aggregates import` */
export const AggregatesImports = object(
  'Results of aggregates, one per import: a long file is sent some hours at a time.',
  { imports: [AggregatesImported.array(), 'The imports.'] },
)

/** What the endpoints take. */
export const INPUTS = {
  AggregatesImport: input({
    query: {
      allow_fewer: [
        type.boolean,
        'Accepts hours with fewer runs than before; kept in the audit log. Needs the role admin.',
        false,
      ],
      'reason?': [Prose, 'Why the engine has fewer runs, or is another one; kept in the audit log.'],
    },
  }),
} as const
