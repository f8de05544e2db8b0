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
]
