import type { Mend } from './mend.ts'

/** Defects that attacks found. */
export const SECURITY_MENDS: readonly Mend[] = [
  {
    item: 'F1',
    defect: 'A token that names no key made the keys of its issuer count as out of reach',
    test: {
      project: 'server',
      file: 'access/oidc.test.ts',
      name: 'are not doubted because somebody sends a token that names no key, of which there are two',
    },
    undo: [
      {
        file: 'src/runtime/identity/keys.ts',
        find: '        if (!(error instanceof UnreachableIssuer)) throw error\n        failed = { at: now, error }',
        replace:
          '        if (error instanceof errors.JWKSNoMatchingKey) throw error\n' +
          '        failed = { at: now, error: new UnreachableIssuer(issuer, error) }\n        throw failed.error',
      },
    ],
  },
  {
    item: 'F3',
    defect: 'A token whose sub has half a surrogate pair made decisions that never verify',
    test: { project: 'server', file: 'access/oidc.test.ts', name: 'of a name with half a surrogate pair' },
    undo: [
      {
        file: 'src/base/text.ts',
        find: '  if (!text.isWellFormed()) return true\n  // Made',
        replace: '  // Made',
      },
    ],
  },
  {
    item: 'F3',
    defect: 'A ledger with a decision by such a name failed the doctor for good',
    test: {
      project: 'server',
      file: 'databases/ill_formed_names.test.ts',
      name: 'is whole, and its log verifies by the texts that it gives',
    },
    undo: [
      { file: 'src/ledger/chain/chain.ts', find: 'asStored(expected[column]!)', replace: 'expected[column]' },
    ],
  },
  {
    item: 'F3',
    defect: 'So did one with a row of anything else that such a name had changed',
    test: {
      project: 'server',
      file: 'databases/ill_formed_names.test.ts',
      name: 'is whole, and its log verifies by the texts that it gives',
    },
    undo: [
      {
        file: 'src/ledger/chain/as_stored.ts',
        find: 'if (stored === actor) return [row]',
        replace: 'return [row]',
      },
    ],
  },
  {
    item: 'F2',
    defect: 'Of a trigger whose statement spells its table in another way nothing was told',
    test: {
      project: 'server',
      file: 'databases/schema.test.ts',
      name: 'the trigger of somebody else is told',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema_objects.ts',
        find: 'mayChange && made.has(`table ${table}`)',
        replace: 'mayChange && made.has(`table ${/ ON (?:\\w+\\.)?(\\w+) /.exec(String(statement))?.[1]}`)',
      },
    ],
  },
  {
    item: 'F2',
    defect: 'On PostgreSQL a trigger was taken for the one of its name on another table',
    test: {
      project: 'server',
      file: 'databases/schema.test.ts',
      name: 'what somebody else put on a table is told: trigger actions_no_change on run_events',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema_objects.ts',
        find: "kind === 'trigger' ? `trigger ${name} on ${table}` : ",
        replace: "kind === 'trigger' && table === '' ? '' : ",
      },
    ],
  },
  {
    item: 'F2',
    defect: 'On PostgreSQL a trigger was taken for ours that calls a function of our name in another schema',
    test: {
      project: 'server',
      file: 'databases/schema.test.ts',
      name: 'is not ours: trigger actions_no_change on actions',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema_postgres.ts',
        find: 'sortedEvents(flat(part))',
        replace: "sortedEvents(flat(part.replace(/FUNCTION \\w+\\./, 'FUNCTION ')))",
      },
    ],
  },
  {
    item: 'F7',
    defect: 'NOT NULL and CHECK could be edited out of a table of SQLite',
    test: {
      project: 'server',
      file: 'databases/schema.test.ts',
      name: 'each column and constraint of each table is compared',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'if (there.length === parts.length &&',
        replace: "if (key.startsWith('table ') || there.length === parts.length &&",
      },
    ],
  },
  {
    item: 'F7',
    defect: 'Nor were the columns and constraints of a table of PostgreSQL compared',
    test: {
      project: 'server',
      file: 'databases/schema.test.ts',
      name: 'each column that may not be null, and each constraint, is compared',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'if (there.length === parts.length &&',
        replace: "if (key.startsWith('table ') || there.length === parts.length &&",
      },
    ],
  },
]
