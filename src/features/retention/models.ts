import { type } from 'arktype'
import { Count, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** What commands print with `--output json`. */

const MaybeNumber = type('number | null')

export const Pruned = object(
  'What was removed of the run events, and of what is kept of that time besides.',
  {
    before: [Timestamp, 'Events of before this time went.'],
    days: [Count, 'Days of a release in an environment.'],
    events: [Count, 'Run events.'],
    parts: [
      'Record<string, number>',
      'What else of that time went, by its name: `score_cases` counts imports of scores that lost their cases.',
    ],
    dry_run: ['boolean', 'Whether nothing was removed, and this is what would be.'],
  },
)

export const Restored = object('What was put back of an archived file.', {
  inserted: [Count, 'Run events that were put back.'],
  skipped: [Count, 'Run events that were there, were erased, or that nothing was pruned around.'],
  'erased?': [Count, 'Of those, the ones that were erased; left out where there are none.'],
  gaps: [Count, 'Days of a release in an environment that are not whole even so.'],
})

export const Erased = object('What was erased of a tenant.', {
  erasure_id: ['string', 'Identifier of the erasure, which is on record.'],
  events: [Count, 'Run events of the ledger.'],
})

export const LedgerSize = object('How large the ledger is, and how it grows.', {
  tables: object('Its tables, the largest first.', {
    name: ['string', 'Name of the table.'],
    rows: [Count, 'Rows.'],
    bytes: [Count, 'Bytes, with indexes.'],
    rows_per_day: [MaybeNumber, 'Rows a day over the last week; null where nothing says when they came.'],
    bytes_per_day: [MaybeNumber, 'Bytes a day over the last week.'],
  }).array(),
  bytes: [Count, 'Bytes in all.'],
  bytes_per_day: ['number', 'Bytes a day over the last week in all.'],
  free_bytes: [MaybeNumber, 'Free bytes of the disk of a SQLite file; null elsewhere.'],
  days_left: [
    MaybeNumber,
    'Days until that disk is full at this rate; null where it does not grow or is another machine.',
  ],
})
