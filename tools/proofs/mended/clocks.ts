import type { Mend } from './mend.ts'

export const CLOCKS_MENDS: readonly Mend[] = [
  {
    item: 'A3',
    defect: 'A write waits for its lock as long as if it had only just come, whatever it waited for before',
    test: { file: 'ledger/chain/deadlines', name: '20 governed writes behind a held lock' },
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
    test: { file: 'ledger/chain/deadlines', name: '20 governed writes behind a held lock' },
    undo: [
      {
        file: 'src/sql/deadline.ts',
        find: 'await inTime(turn, deadline)',
        replace: 'await turn',
      },
    ],
  },
  {
    item: 'A3',
    defect: 'A client that left is served when its turn comes',
    test: { file: 'connections/leaving', name: 'has nothing promoted' },
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
    test: { file: 'postgres_deadlines', name: 'who is gone by the time it ends' },
    undo: [
      {
        file: 'src/sql/postgres/session.ts',
        find: '      requireTime(deadline)\n',
        replace: '',
      },
    ],
  },
  {
    item: 'A2',
    defect: 'A decision by a server that is a day ahead makes live_for pass on every server',
    test: {
      file: 'runners/node_sqlite',
      name: 'is not reached by what a server a day ahead',
    },
    undo: [
      {
        file: 'src/features/conditions/condition.ts',
        find: 'sql`coalesce(a.decided_at, a.created_at)`',
        replace: 'sql`a.created_at`',
      },
    ],
  },
  {
    item: 'A2',
    defect: "A freeze begins and ends by the server's clock",
    test: {
      file: 'runners/node_sqlite',
      name: 'goes by the time of the database, the server',
    },
    undo: [
      {
        file: 'src/features/conditions/rules.ts',
        find: 'Date.parse(clock?.at ?? evaluatedAt)',
        replace: 'Date.parse(evaluatedAt)',
      },
    ],
  },
  {
    item: 'A2',
    defect: 'A server whose clock is far from the database decides by time',
    test: {
      file: 'runners/node_sqlite',
      name: 'decides nothing by time from ten minutes on',
    },
    undo: [
      {
        file: 'src/rules/clock.ts',
        find: 'apartMs > MOST_APART_MS ?',
        replace: 'apartMs < 0 ?',
      },
    ],
  },
  {
    item: 'A2',
    defect: 'On SQLite a clock that is behind the newest record decides by time',
    test: { file: 'databases/sqlite_clock', name: 'leaves a freeze in force' },
    undo: [
      { file: 'src/rules/clock.ts', find: 'if (now < latest - SLEWED_MS) {', replace: 'if (now < 0) {' },
    ],
  },
  {
    item: 'A2',
    defect: 'On SQLite a clock that fell back while the service runs decides by time',
    test: { file: 'databases/sqlite_clock', name: 'back by more than ten minutes' },
    undo: [{ file: 'src/rules/clock.ts', find: 'if (movedMs < -MOST_MOVED_MS) {', replace: 'if (false) {' }],
  },
  {
    item: 'A2',
    defect:
      'A decision after a clock that was ahead carries its time on, so that accepting the clock never helps',
    test: { file: 'databases/sqlite_clock', name: 'decides again once somebody says' },
    undo: [
      {
        file: 'src/ledger/decide/record.ts',
        find: 'record.decided_at ?? record.created_at',
        replace: 'record.created_at',
      },
    ],
  },
  {
    item: 'A2',
    defect: 'A watch rolls back by a clock that is not to be believed',
    test: { file: 'databases/sqlite_clock', name: 'rolls nothing back by itself' },
    undo: [{ file: 'src/features/watch/tick.ts', find: 'apart ?? doubt', replace: 'apart' }],
  },
  {
    item: 'A5',
    defect: 'A -wal file that was removed or replaced under a running server is not noticed',
    test: { file: 'server/ready', name: 'whose -wal is removed' },
    undo: [
      {
        file: 'src/sql/libsql/opened_file.ts',
        find: 'this.#log.identity !== found(this.#logPath)?.identity',
        replace: 'false',
      },
    ],
  },
  {
    item: 'A5',
    defect: 'A -wal file that lost its end under a running server is not noticed',
    test: { file: 'server/ready', name: 'whose -wal is cut short' },
    undo: [
      {
        file: 'src/sql/libsql/opened_file.ts',
        find: 'this.#isLogLost = !holdsAllFrames(connection, this.#logPath)',
        replace: 'this.#isLogLost = false',
      },
    ],
  },
  {
    item: 'A5',
    defect: 'A checkpoint of another process, which empties the -wal file, is taken for a loss',
    test: { file: 'server/ready', name: 'whose -wal a checkpoint of another process empties' },
    undo: [
      {
        file: 'src/sql/libsql/opened_file.ts',
        find: 'this.#isLogLost = !holdsAllFrames(connection, this.#logPath)',
        replace: 'this.#isLogLost = true',
      },
    ],
  },
  {
    item: 'ledger7',
    defect: 'svc ledger copy never ends beside a writer that is as quick',
    test: {
      file: 'ledger_copy_resumed',
      name: 'ends the copy also where its writer is as quick',
    },
    undo: [
      {
        file: 'src/features/copy/rows.ts',
        find: ' AND ${upTo(table, end)} ORDER BY',
        replace: ' ORDER BY',
      },
    ],
  },
  {
    item: 'house3',
    defect: "The answer to a promotion request has an expires_at by the server's clock",
    test: {
      file: 'runners/node_sqlite',
      name: 'has the same end in its answer as in the ledger',
    },
    undo: [
      {
        file: 'src/ledger/decide/requests.ts',
        find: 'expires_at: isoTime(expires)',
        replace: 'expires_at: isoTime(expires - clock.now + createdAt)',
      },
    ],
  },
  {
    item: 'house9',
    defect: "A token ends by the server's clock",
    test: { file: 'runners/node_sqlite', name: 'has it by the time of the database' },
    undo: [
      {
        file: 'src/ledger/tokens/tokens.ts',
        find: 'row: await newRow(ledger, given, { validMs, actor, now: clock.now }),',
        replace: 'row: await newRow(ledger, given, { validMs, actor, now: ledger.now() }),',
      },
    ],
  },
  {
    item: 'house9',
    defect: 'A digest by a server that is a day ahead puts the next ones off for a day',
    test: {
      file: 'runners/node_sqlite',
      name: 'the hourly hash of run events is not put off',
    },
    undo: [
      {
        file: 'src/features/proofs/digests.ts',
        find: '(found, { now: created_at }) => ({',
        replace: '(found, _, created_at = ledger.now()) => ({',
      },
      {
        file: 'src/features/proofs/digests.ts',
        find: 'Math.abs(now - before.created_at)',
        replace: '(ledger.now() - before.created_at)',
      },
    ],
  },
  {
    item: 'A2',
    defect: "A token of an identity provider ends by a server's clock that is far from the database's",
    test: { file: 'access/oidc', name: 'is refused while the clock that would end it' },
    undo: [
      {
        file: 'src/features/identity/oidc_callers.ts',
        find: 'requireClock((await knownTokens(facts)).clock)',
        replace: '',
      },
    ],
  },
]
