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
]
