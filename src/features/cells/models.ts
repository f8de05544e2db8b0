import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { Checksum, Count, Day, Identifier, Timestamp } from '../../models/scalars.ts'

/** The body of POST /v1/cells, as far as JSON Schema can say it: a line of it. */
export const Cells = type({ 'cells?': "'v1'", 'cell?': "'runs' | 'latency' | 'parts' | 'scores'" })

export const cells = documented(Cells, {
  title: 'Cells',
  description:
    'JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/cells.md has all fields.',
  fields: { cells: 'Of the header: the version of the format.', cell: 'Of all other lines: what is summed.' },
})

/** POST /v1/cells */
export const CellsImported = type({
  import_id: Checksum,
  source: Identifier,
  unchanged: 'boolean',
  cells: Count,
  runs: Count,
  hours: Count,
  replaced: Count,
  removed: Count,
  stale: Count,
})
export type CellsImported = typeof CellsImported.infer

const IMPORTED_FIELDS = {
  import_id: 'SHA-256 of the header and the cells, in whatever order they came.',
  source: 'Whose cells they are.',
  unchanged: 'Whether the very same was imported before.',
  cells: 'Cells of the import.',
  runs: 'Runs that they sum.',
  hours: 'Hours that were written.',
  replaced: 'Cells that were there and are others now.',
  removed: 'Cells that were there and are gone: the source is complete without them.',
  stale: 'Hours of which a later state was there already.',
} as const

export const cellsImported = documented(CellsImported, {
  title: 'CellsImported',
  description: 'What became of the cells of an import.',
  fields: IMPORTED_FIELDS,
})

const Feed = type({ release_id: Identifier, environment: Identifier, from: Day })

/** A source of cells. */
export const CellSource = type({
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
export type CellSource = typeof CellSource.infer

/** GET /v1/cells/sources */
export const CellSourceList = type({ sources: CellSource.array() })

export const cellSourceList = documented(CellSourceList, {
  title: 'CellSourceList',
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

/** `svc cells import` */
const cellsImports = documented(type({ imports: CellsImported.array() }), {
  title: 'CellsImports',
  description: 'What became of cells, import by import: a long file is sent some hours at a time.',
  fields: { imports: 'The imports.', ...under('imports[].', IMPORTED_FIELDS) },
})

export const MODELS = {
  Cells: cells,
  CellsImported: cellsImported,
  CellsImports: cellsImports,
  CellSourceList: cellSourceList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

/** What the endpoints take. */
export const INPUTS = {
  CellsImport: input({
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
