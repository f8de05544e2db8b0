import { type } from 'arktype'
import { Count, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** What commands print with `--output json`. */

const MaybeNumber = type('number | null')

export const Pruned = object('The run events that were removed, and other data of that time.', {
  before: [Timestamp, 'Events before this time were removed.'],
  days: [Count, 'Days of a release in an environment.'],
  events: [Count, 'Run events.'],
  parts: [
    'Record<string, number>',
    'Other data of that time that was removed, by name: `score_cases` counts imports of scores that lost their cases.',
  ],
  dry_run: ['boolean', 'Whether this is a dry run: nothing was removed.'],
})

export const Restored = object('The result of restoring an archived file.', {
  inserted: [Count, 'Run events that were restored.'],
  skipped: [Count, 'Run events that were there, were erased, or belong to no pruned time.'],
  'erased?': [Count, 'How many of them were erased; left out if none.'],
  gaps: [Count, 'Days of a release in an environment that are still incomplete.'],
})

export const Erased = object('The erased data of a tenant.', {
  erasure_id: ['string', 'Identifier of the erasure in the audit log.'],
  events: [Count, 'Run events of the ledger.'],
})

export const LedgerSize = object('The size of the ledger and its growth.', {
  tables: object('Its tables, the largest first.', {
    name: ['string', 'Name of the table.'],
    rows: [Count, 'Rows.'],
    bytes: [Count, 'Bytes, with indexes.'],
    rows_per_day: [MaybeNumber, 'Rows a day over the last week; null if the table has no times.'],
    bytes_per_day: [MaybeNumber, 'Bytes a day over the last week.'],
  }).array(),
  bytes: [Count, 'Bytes in all.'],
  bytes_per_day: ['number', 'Bytes a day over the last week in all.'],
  free_bytes: [MaybeNumber, 'Free bytes of the disk of a SQLite file; null elsewhere.'],
  days_left: [
    MaybeNumber,
    'Days until that disk is full at this rate; null if the ledger does not grow or is on another machine.',
  ],
})
