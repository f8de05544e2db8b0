import type { Mend } from './mend.ts'

const ERASED = 'src/features/retention/erase.ts'

/** What was erased, pruned and restored: items A1, A6, A7, A14 and two defects of the house. */
export const RETENTION_MENDS: readonly Mend[] = [
  {
    item: 'A1',
    defect: 'an event that was erased and is sent again counts twice',
    test: {
      file: 'runners/node_sqlite',
      name: 'keeps its events from counting again when they are sent again',
    },
    undo: [
      {
        file: 'src/ledger/events/ingest_sql.ts',
        find: 'AND NOT EXISTS (SELECT 1 FROM erased_runs WHERE hash = value ->> ${COLUMNS.length})',
        replace: '',
      },
    ],
  },
  {
    item: 'A1',
    defect: 'the same on PostgreSQL, by a statement that began before the erasure',
    test: {
      file: 'postgres_erasure',
      name: 'is not stored again by a statement that began before',
    },
    undo: [{ file: ERASED, find: 'await letWritersEnd(work.db)', replace: 'Number.MAX_SAFE_INTEGER' }],
  },
  {
    item: 'A1',
    defect: 'a copy of the archive brings back what was erased',
    test: {
      file: 'runners/node_sqlite',
      name: 'keeps an archive that it did not reach from bringing them back',
    },
    undo: [
      {
        file: 'src/features/retention/restore.ts',
        find: '      erased,\n',
        replace: '      erased: { ...erased, hashes: [] },\n',
      },
    ],
  },
  {
    item: 'A6',
    defect: 'an erasure that is killed leaves no record, and its next run records the rest alone',
    test: {
      file: 'runners/node_sqlite',
      name: 'that is killed has its record, and its next run ends that one',
    },
    undo: [
      {
        file: 'src/features/retention/remove.ts',
        find: '    noteInJob(job, sql`events = events + (SELECT count(*) FROM run_events WHERE seq IN ${which})`),\n',
        replace: '',
      },
    ],
  },
  {
    item: 'A6',
    defect: 'a pruning that is killed leaves no record',
    test: {
      file: 'runners/node_sqlite',
      name: 'that is ended midway goes on where it was',
    },
    undo: [
      {
        file: 'src/features/retention/job.ts',
        find: '    if (id !== undefined) return { id, kind: name.kind, holder, actor }\n',
        replace:
          '    if (id !== undefined) return { id: ledger.newId(""), kind: name.kind, holder, actor }\n',
      },
    ],
  },
  {
    item: 'A6',
    defect: 'what was restored is never taken off what the doctor was told is gone',
    test: {
      file: 'retention/job',
      name: 'events that were put back and are gone again',
    },
    undo: [
      {
        file: 'src/features/proofs/digests.ts',
        find: '[gone, removed - restored]',
        replace: '[gone, removed]',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'two prunings at once archive the same events twice',
    test: { file: 'retention/job', name: 'a day is archived once' },
    undo: [
      {
        file: 'src/features/retention/job.ts',
        find: '        AND (held_by = ${ended} OR held_until <= ${db.clock} OR held_until > ${db.clock} + ${2 * JOB_LEASE_MS})\n      RETURNING job_id',
        replace: '      RETURNING job_id',
      },
    ],
  },
  {
    item: 'A14',
    defect: 'after a pruning the same question over the same window answers other counts without a word',
    test: {
      file: 'runners/node_sqlite',
      name: 'is counted by whole minutes, and says so',
    },
    undo: [
      {
        file: 'src/ledger/events/gaps.ts',
        find: 'ends === undefined ? window : wholeWindow(window, ends)',
        replace: 'ends === undefined ? window : wholeWindow(window, { since: 1, until: 1 })',
      },
    ],
  },
  {
    item: 'house5',
    defect: 'an archived file that can not be read ends the server',
    test: { file: 'runtime/archive', name: 'is gone' },
    undo: [
      {
        file: 'src/features/retention/jobs_archive.ts',
        find: 'pipe(file, through, () => {})',
        replace: 'file.pipe(through)',
      },
    ],
  },
  {
    item: 'house6',
    defect: 'an archive that can not be written keeps deliveries and idempotency keys from going',
    test: { file: 'server/retention', name: 'keeps nothing else from going' },
    undo: [
      {
        file: 'src/features/retention/jobs_retention.ts',
        find: "      if (!signal.aborted) services.log('error', `retention can not remove ${what}`, { error })\n",
        replace: '      throw error\n',
      },
    ],
  },
]
