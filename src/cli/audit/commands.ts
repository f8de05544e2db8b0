import type { CommandSpec } from '../arguments/command.ts'
import { OUTPUT, TARGET } from '../arguments/options.ts'

/** `svc audit …` */
export const AUDIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit explain',
    args: '<SEQ|ACTION_ID>',
    summary: 'Decide an action again from its evidence, limit by limit; exit 1 if the record says otherwise',
    options: [
      { flags: '--against <POLICY>', description: 'Decide by this policy (YAML or JSON) instead' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit explain 17 --against policy.yaml',
    load: async () => (await import('./explain.ts')).explain,
  },
]
