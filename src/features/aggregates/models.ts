import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { Checksum, Count, Day, Identifier, Timestamp } from '../../models/scalars.ts'

/** The body of POST /v1/aggregates, as far as JSON Schema can say it: a line of it. */
export const Aggregates = type({
  'aggregates?': "'v1'",
  'aggregate?': "'runs' | 'latency' | 'parts' | 'scores'",
})

export const aggregates = documented(Aggregates, {
  title: 'Aggregates',
  description:
    'JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/aggregates.md has all fields.',
  fields: {
    aggregates: 'Of the header: the version of the format.',
    aggregate: 'Of all other lines: what is summed.',
  },
})

/** POST /v1/aggregates */
export const AggregatesImported = type({
  import_id: Checksum,
  source: Identifier,
  unchanged: 'boolean',
  aggregates: Count,
  runs: Count,
  hours: Count,
  replaced: Count,
  removed: Count,
  stale: Count,
})
export type AggregatesImported = typeof AggregatesImported.infer

const IMPORTED_FIELDS = {
  import_id: 'SHA-256 of the header and the aggregates, in whatever order they came.',
  source: 'Whose aggregates they are.',
  unchanged: 'Whether the very same was imported before.',
  aggregates: 'Aggregates of the import.',
  runs: 'Runs that they sum.',
  hours: 'Hours that were written.',
  replaced: 'Aggregates that were there and are others now.',
  removed: 'Aggregates that were there and are gone: the source is complete without them.',
  stale: 'Hours of which a later state was there already.',
} as const

export const aggregatesImported = documented(AggregatesImported, {
  title: 'AggregatesImported',
  description: 'What became of the aggregates of an import.',
  fields: IMPORTED_FIELDS,
})

const Feed = type({ release_id: Identifier, environment: Identifier, from: Day })

/** A source of aggregates. */
export const AggregateSource = type({
  source: Identifier,
  engine: 'string',
  query_sha256: Checksum,
  run_url: 'string | null',
  created_at: Timestamp,
  created_by: 'string',
  covered_until: Timestamp.or('null'),
  as_of: Timestamp.or('null'),
  imports: Count,
  imported_at: Timestamp.or('null'),
  releases: Count,
  feeds: Feed.array(),
})
export type AggregateSource = typeof AggregateSource.infer

/** GET /v1/aggregates/sources */
export const AggregateSourceList = type({ sources: AggregateSource.array() })

export const aggregateSourceList = documented(AggregateSourceList, {
  title: 'AggregateSourceList',
  description: 'Where sums of runs come from that were never sent one by one.',
  fields: {
    sources: 'The sources, by name.',
    ...under('sources[].', {
      source: 'Its name.',
      engine: 'The engine that sums.',
      query_sha256: 'SHA-256 of the query that it sums by.',
      run_url:
        'Where runs can be looked at, with {release}, {from_ms} and {to_ms}; null where that is not known.',
      created_at: 'When it came first.',
      created_by: 'Who sent it first.',
      covered_until: 'Up to when it was complete last.',
      as_of: 'When its engine was in the newest state that was imported.',
      imports: 'How many imports there were.',
      imported_at: 'When the last one was.',
      releases: 'How many releases it feeds, by environment.',
      feeds: 'Those, the ones that it feeds since lately first, at most 100.',
      'feeds[].release_id': 'The release.',
      'feeds[].environment': 'Where it runs.',
      'feeds[].from': 'The day (UTC) from which on its runs are those that sources sum.',
    }),
  },
})

/** `svc aggregates import` */
const aggregatesImports = documented(type({ imports: AggregatesImported.array() }), {
  title: 'AggregatesImports',
  description: 'What became of aggregates, import by import: a long file is sent some hours at a time.',
  fields: { imports: 'The imports.', ...under('imports[].', IMPORTED_FIELDS) },
})

export const MODELS = {
  Aggregates: aggregates,
  AggregatesImported: aggregatesImported,
  AggregatesImports: aggregatesImports,
  AggregateSourceList: aggregateSourceList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
