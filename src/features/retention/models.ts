import { type } from 'arktype'
import { documented } from '../../models/docs.ts'
import { Count, Timestamp } from '../../models/scalars.ts'

/** What commands print with `--output json`. */

const MaybeNumber = type('number | null')

export const pruned = documented(
  type({
    before: Timestamp,
    days: Count,
    events: Count,
    parts: 'Record<string, number>',
    dry_run: 'boolean',
  }),
  {
    title: 'Pruned',
    description: 'What was removed of the run events, and of what is kept of that time besides.',
    fields: {
      before: 'Events of before this time went.',
      days: 'Days of a release in an environment.',
      events: 'Run events.',
      parts:
        'What else of that time went, by its name: `score_cases` counts imports of scores that lost their cases.',
      dry_run: 'Whether nothing was removed, and this is what would be.',
    },
  },
)

export const restored = documented(type({ inserted: Count, skipped: Count, 'erased?': Count, gaps: Count }), {
  title: 'Restored',
  description: 'What was put back of an archived file.',
  fields: {
    inserted: 'Run events that were put back.',
    skipped: 'Run events that were there, were erased, or that nothing was pruned around.',
    erased: 'Of those, the ones that were erased; left out where there are none.',
    gaps: 'Days of a release in an environment that are not whole even so.',
  },
})

export const erased = documented(type({ erasure_id: 'string', events: Count }), {
  title: 'Erased',
  description: 'What was erased of a tenant.',
  fields: {
    erasure_id: 'Identifier of the erasure, which is on record.',
    events: 'Run events of the ledger.',
  },
})

export const ledgerSize = documented(
  type({
    tables: type({
      name: 'string',
      rows: Count,
      bytes: Count,
      rows_per_day: MaybeNumber,
      bytes_per_day: MaybeNumber,
    }).array(),
    bytes: Count,
    bytes_per_day: 'number',
    free_bytes: MaybeNumber,
    days_left: MaybeNumber,
  }),
  {
    title: 'LedgerSize',
    description: 'How large the ledger is, and how it grows.',
    fields: {
      tables: 'Its tables, the largest first.',
      'tables[].name': 'Name of the table.',
      'tables[].rows': 'Rows.',
      'tables[].bytes': 'Bytes, with indexes.',
      'tables[].rows_per_day': 'Rows a day over the last week; null where nothing says when they came.',
      'tables[].bytes_per_day': 'Bytes a day over the last week.',
      bytes: 'Bytes in all.',
      bytes_per_day: 'Bytes a day over the last week in all.',
      free_bytes: 'Free bytes of the disk of a SQLite file; null elsewhere.',
      days_left:
        'Days until that disk is full at this rate; null where it does not grow or is another machine.',
    },
  },
)

export const MODELS = {
  Erased: erased,
  LedgerSize: ledgerSize,
  Pruned: pruned,
  Restored: restored,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
