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

/** `svc cells import` and `svc cells pull` */
const cellsImports = documented(type({ imports: CellsImported.array() }), {
  title: 'CellsImports',
  description: 'What became of cells, import by import: a long file is sent some hours at a time.',
  fields: { imports: 'The imports.', ...under('imports[].', IMPORTED_FIELDS) },
})

/** `svc cells sql` */
const cellQueries = documented(
  type({ engine: 'string', queries: type({ cell: 'string', sql: 'string' }).array() }),
  {
    title: 'CellQueries',
    description: 'Queries whose rows are cells.',
    fields: {
      engine: 'The engine that they are for.',
      queries: 'The queries.',
      'queries[].cell': 'What cells they make.',
      'queries[].sql': 'The text; {table}, {from_ms} and {to_ms} are to be filled in where they are left.',
    },
  },
)

const Changed = type({ source: 'string', hour: Timestamp, runs_kept: Count, runs_now: Count })
const Replaced = type({
  source: 'string',
  release_id: Identifier,
  runs_decided: Count,
  runs_kept: Count,
})

/** `svc cells verify` */
const cellsVerified = documented(
  type({
    action_id: Identifier,
    sources: 'string[]',
    changed: Changed.array(),
    replaced: Replaced.array(),
  }),
  {
    title: 'CellsVerified',
    description: 'What the engines that a decision rested on say otherwise by now.',
    fields: {
      action_id: 'The decision.',
      sources: 'The sources that it rested on.',
      changed: 'Hours of which an engine says something else.',
      'changed[].source': 'The source.',
      'changed[].hour': 'Start of the hour.',
      'changed[].runs_kept': 'Runs that are kept of it.',
      'changed[].runs_now': 'Runs that the engine has by now.',
      replaced:
        'Releases whose cells are kept otherwise since the decision: late runs came, or an hour went on.',
      'replaced[].source': 'The source.',
      'replaced[].release_id': 'The release.',
      'replaced[].runs_decided': 'Runs in the hours of the window, as it was decided.',
      'replaced[].runs_kept': 'Runs that are kept of these hours by now.',
    },
  },
)

export const MODELS = {
  Cells: cells,
  CellsImported: cellsImported,
  CellsImports: cellsImports,
  CellSourceList: cellSourceList,
  CellQueries: cellQueries,
  CellsVerified: cellsVerified,
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
