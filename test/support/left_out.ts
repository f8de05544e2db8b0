import { parseCLI } from 'vitest/node'

/**
 * Test files that a plain `npm test` leaves out for the minutes that they take, by a row of docs/project/reliability.md, which says
 * what of them it keeps. `npm test -- test` runs them too, and so does `--changed` where a change reaches them.
 */
export const LEFT_OUT = {
  'the web UI in detail': [
    'web/access',
    'web/approvals',
    'web/board',
    'web/aggregates',
    'web/day',
    'web/decisions_others',
    'web/docs',
    'web/errors',
    'web/evaluations',
    'web/explain',
    'web/findings',
    'web/first_run',
    'web/keyboard',
    'web/layout',
    'web/live',
    'web/policy',
    'web/rollouts',
    'web/scale',
    'web/sign_in',
    'web/capabilities',
    'web/tab',
    'web/trail',
    'web/traps',
    'web/webhooks',
  ],
  'programs of the docs': [
    'docs/checksum',
    'docs/ci',
    'docs/deploy',
    'docs/docs',
    'docs/examples',
    'docs/examples_ci',
    'docs/examples_github',
    'docs/examples_kubernetes',
    'docs/examples_rollout',
    'docs/python',
    'docs/sources',
    'docs/verifiers',
    'docs/webhooks',
  ],
  'kills of other kinds': [
    'crash/copy',
    'crash/killed/commands',
    'crash/rollouts',
    'crash/sdk',
    'crash/servers',
    'crash/storage/damaged_pages',
    'crash/storage/memory',
    'crash/watch',
    'crash/webhooks',
  ],
  'pairs of database and runtime': [
    'conformance/runners/remote/node_libsql',
    'conformance/runners/remote/workerd_libsql',
    'conformance/runners/same_everywhere',
    'conformance/runners/workerd_postgres',
    'server/postgres_pooled',
    'server/databases/postgres_roles',
    'server/databases/remote_libsql',
    'server/databases/tamper',
    'server/databases/upgrade',
    'server/ledger_copy',
    'server/postgres_deadlines',
  ],
  'simulated worlds': [
    'unit/features/rollouts/calibration',
    'unit/rules/statistics/calibration',
    'unit/rules/watch/false_alarms',
  ],
  tools: [
    'bench/quick',
    'cli/slips/slips',
    'cli/workspace/serve_ready',
    'package/checkout',
    'package/image',
    'package/package',
    'unit/tools/regular_expressions',
    'workers/ingest',
  ],
} satisfies Record<string, readonly string[]>

/** The files that Vitest is not to run when it is started with these arguments. */
export function leftOutBy(args: readonly string[]): string[] {
  const { filter, options } = parseCLI(['vitest', ...args])
  if (filter.length > 0 || options.changed !== undefined) return []
  return Object.values(LEFT_OUT).flatMap(names => names.map(name => `test/${name}.test.ts`))
}
