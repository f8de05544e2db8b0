import { ANSWER } from '../../cli/arguments/options.ts'
import { commands, maybeEmpty } from '../../cli/arguments/records.ts'

/** `svc apply` */
export const COMMANDS = commands({
  'apply <DIR>': {
    summary: 'Set policy, price tables, webhooks and tokens from the files of a folder',
    task: 'Set the rules',
    options: {
      '--plan': 'Show what would change, and which decisions would differ; write nothing',
      '--prune': 'Also remove webhooks and revoke tokens that no file names; never policies or prices',
      '--secrets <FILE>':
        'Write the secrets of new webhooks and tokens to this file, which only you can read',
      '--reason <TEXT>': maybeEmpty('Why; required unless --plan is given'),
      '--detailed-exitcode': 'Exit 3 if the plan has changes, 1 only for errors',
      ...ANSWER,
    },
    example: 'svc apply governance/ --plan --url https://releases.example.com',
    load: async () => (await import('./cli_apply.ts')).apply,
  },
})
