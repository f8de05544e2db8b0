import { jsonTexts, lockTables } from '../../sql/dialect.ts'
import { countedRemoval } from '../../sql/server.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { among, asNumber, field, onlyRow, write } from '../../sql/query.ts'
import type { EventSums } from '../../ledger/events/event_sums.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type Job, ownsJob, noteInJob, runBatch } from './job.ts'

/** Events of a batch: whoever stores events at the same time waits for one of these. */
export const REMOVED_AT_ONCE = 500

interface Removal {
  /** At least one. */
  readonly seqs: readonly number[]
  /** What features sum of them, before they go. */
  readonly sums: readonly Pick<EventSums, 'onRemoval'>[]
  /** Statements that have to be there first. */
  readonly before: readonly Statement[]
}

/** Removes events with their parts and scores, and counts them in the job's row: all of it or nothing. */
export async function removeEvents(
  { sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>,
  job: Job,
  { seqs, sums, before }: Removal,
): Promise<void> {
  const which = sql`(SELECT CAST(given.value AS BIGINT) FROM ${jsonTexts(seqs)}) AND ${ownsJob(job)}`
  await runBatch(db, job, [
    ...before,
    ...sums.flatMap(each => each.onRemoval({ sql: db, newId }, seqs, ownsJob(job))),
    ...['run_parts', 'run_scores'].map(table => sql`DELETE FROM ${raw(table)} WHERE event IN ${which}`),
    ...countedRemoval(db, sql`run_events WHERE seq IN ${which}`, count =>
      noteInJob(job, sql`events = events + ${count}`),
    ),
  ])
}

/**
 * Waits for whoever began to store events before. On PostgreSQL such a statement doesn't see what was committed since;
 * on SQLite nobody can be at it. Returns the `seq` of the newest event: later ones are greater.
 */
export async function letWritersEnd(db: Sql): Promise<number> {
  const newest = onlyRow(raw('SELECT coalesce(max(seq), 0) AS seq FROM run_events'), field('seq', asNumber))
  return write(db, among(lockTables(db, 'run_events'), newest))
}
