import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc apply` */
export const APPLY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'apply',
    args: '<DIR>',
    summary: 'Set policy, price tables, webhooks and tokens from the files of a folder',
    task: 'Set the rules',
    options: [
      {
        flags: '--plan',
        description: 'Show what would change, and which decisions would differ; write nothing',
      },
      {
        flags: '--prune',
        description: 'Also remove webhooks and revoke tokens that no file names; never policies or prices',
      },
      {
        flags: '--secrets <FILE>',
        description: 'Write the secrets of new webhooks and tokens to this file, which only you can read',
      },
      { flags: '--reason <TEXT>', description: 'Why; required unless --plan is given', mayBeEmpty: true },
      { flags: '--detailed-exitcode', description: 'Exit 3 if the plan has changes, 1 only for errors' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc apply governance/ --plan --url https://releases.example.com',
    load: async () => (await import('./cli_apply.ts')).apply,
  },
]
