import type { Mend } from './mend.ts'

export const CLOCKS_MENDS: readonly Mend[] = [
  {
    item: 'A3',
    defect: 'A write waits for its lock as long as if it had only just come, whatever it waited for before',
    test: { project: 'unit', file: 'ledger/chain/deadlines', name: '20 governed writes behind a held lock' },
    undo: [
      {
        file: 'src/sql/deadline.ts',
        find: 'db.batch(statements, { ...options, deadline })',
        replace: 'db.batch(statements, options)',
      },
    ],
  },
  {
    item: 'A3',
    defect: 'Who waits for the governed writes before it waits without a limit',
    test: { project: 'unit', file: 'ledger/chain/deadlines', name: '20 governed writes behind a held lock' },
    undo: [
      {
        file: 'src/ledger/chain/mutex.ts',
        find: 'await inTime(turn, deadline)',
        replace: 'await turn',
      },
    ],
  },
  {
    item: 'A3',
    defect: 'A client that left is served when its turn comes',
    test: { project: 'server', file: 'connections/leaving', name: 'has nothing promoted' },
    undo: [
      {
        file: 'src/http/endpoint/endpoint.ts',
        find: 'const { signal } = request',
        replace: 'const signal = undefined',
      },
    ],
  },
  {
    item: 'A3',
    defect: 'PostgreSQL commits for a caller who left while a lock was waited for',
    test: { project: 'server', file: 'postgres_deadlines', name: 'who is gone by the time it ends' },
    undo: [
      {
        file: 'src/sql/postgres/session.ts',
        find: '      requireTime(deadline)\n',
        replace: '',
      },
    ],
  },
]
