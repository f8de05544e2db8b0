import type { CommandBranch } from '../../cli/arguments/command.ts'

/** `svc release diff --by` */
export const GROUPS_COMMANDS: readonly CommandBranch[] = [
  {
    of: 'release diff',
    when: ['by'],
    options: [
      {
        flags: '--by <WHAT>',
        description: 'Split the difference by tenant, task, model or error',
        values: ['tenant', 'task', 'model', 'error'],
      },
      {
        flags: '--metric <NAME>',
        description: 'What to split, with --by (default cost_per_run_usd)',
        values: ['cost_per_run_usd', 'latency_ms', 'error_rate'],
      },
    ],
    load: async () => (await import('./cli_groups.ts')).diffByGroup,
  },
]
