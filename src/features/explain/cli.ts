import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc audit explain`, `svc policy test` */
export const EXPLAIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit explain',
    args: '<SEQ|ACTION_ID>',
    summary: 'Decide a recorded action again, limit by limit; exit 1 if the result differs',
    task: 'Ask why',
    options: [
      { flags: '--against <POLICY>', description: 'Decide by this policy (YAML or JSON) instead' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit explain 17 --against policy.yaml',
    load: async () => (await import('./cli_explain.ts')).explain,
  },
  {
    name: 'policy test',
    args: '<PATH>',
    summary: 'Show which past actions a policy (YAML or JSON) would decide otherwise, and why',
    task: 'Set the rules',
    options: [
      { flags: '--last <N>', description: 'The newest N actions (default 500)', number: 'whole' },
      { flags: '--since <T>', description: 'Actions since then: 30d, a date or a timestamp' },
      { flags: '--agent <AGENT_ID>', description: 'Only actions of this agent' },
      { flags: '--env <ENV>', description: 'Only actions in this environment' },
      {
        flags: '--fail-on-change',
        description:
          'Exit 1 if an action would differ or is unknown, or if the agent or environment has none',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy test policy.yaml --since 30d --fail-on-change',
    load: async () => (await import('./cli_explain.ts')).testPolicy,
  },
]
