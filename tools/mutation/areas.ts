/** What is mutated together, and which tests besides those of `test/unit` may kill it. */
export interface Area {
  readonly sources: readonly string[]
  readonly tests?: string
}

/** The contract of the API, in one process on SQLite. */
const SERVICE = 'test/conformance/runners/node_sqlite.test.ts'

/** What of it is about decisions and the trail. */
const LEDGER = 'tools/mutation/ledger.test.ts'

/** In the order in which they are run. */
export const AREAS: Readonly<Record<string, Area>> = {
  statistics: {
    sources: [
      'src/rules/statistics/',
      'src/features/groups/rules_drilldown.ts',
      'src/features/scores/rules_paired.ts',
      'src/features/watch/rules_sequential.ts',
    ],
  },
  access: { sources: ['src/rules/webhook_target.ts', 'src/features/identity/rules_identity.ts'] },
  policies: {
    sources: [
      'src/rules/policy.ts',
      'src/rules/limits.ts',
      'src/rules/evidence.ts',
      'src/rules/cost.ts',
      'src/rules/window.ts',
      'src/rules/judge.ts',
      'src/rules/scope.ts',
      'src/features/conditions/rules.ts',
      'src/features/explain/rules_weigh.ts',
      'src/features/explain/rules_what_if.ts',
      'src/features/watch/rules_readings.ts',
      'src/features/watch/rules_retry.ts',
      'src/features/watch/rules_verdict.ts',
    ],
    tests: SERVICE,
  },
  decisions: {
    sources: [
      'src/ledger/assess/assess.ts',
      'src/ledger/assess/current_state.ts',
      'src/features/conditions/condition.ts',
      'src/ledger/decide/',
      'src/features/deploys/gate.ts',
      'src/features/deploys/pointer.ts',
      'src/features/explain/explain.ts',
      'src/features/explain/test_policy.ts',
    ],
    tests: LEDGER,
  },
  chain: { sources: ['src/ledger/trail/'], tests: LEDGER },
}
