/** What is mutated together, and which tests besides those of `test/unit` may kill it. */
export interface Area {
  readonly sources: readonly string[]
  readonly tests?: readonly string[]
}

/** The contract of the API, in one process on SQLite. */
const SERVICE = ['test/conformance/runners/node_sqlite.test.ts']

/** What of it is about decisions and the trail. */
const LEDGER = ['tools/mutation/ledger.test.ts']

/** In the order in which they are run. */
export const AREAS: Readonly<Record<string, Area>> = {
  statistics: { sources: ['src/rules/statistics/', 'src/rules/confidence.ts'] },
  access: { sources: ['src/rules/access/'] },
  policies: {
    sources: [
      'src/rules/policy.ts',
      'src/rules/limits.ts',
      'src/rules/evidence.ts',
      'src/rules/comparison.ts',
      'src/rules/window.ts',
      'src/rules/decisions/',
      'src/rules/watch/',
    ],
    tests: SERVICE,
  },
  decisions: { sources: ['src/ledger/decisions/'], tests: LEDGER },
  chain: { sources: ['src/ledger/chain/'], tests: LEDGER },
}
