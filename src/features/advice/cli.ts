import type { CommandSpec } from '../../cli/arguments/command.ts'
import { count } from '../../cli/terminal/text.ts'
import { ENV, OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { TEMPLATES, TEMPLATE_NAMES } from './templates.ts'

/** `svc policy advise` and `svc policy template` */
export const ADVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'policy advise',
    summary: 'Say which limits on a change the traffic of an agent could prove',
    task: 'Set the rules',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'The agent', required: true },
      ENV,
      { flags: '--window <W>', description: 'How far back to look (default 14d)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy advise --agent support-bot --env prod',
    load: async () => (await import('./cli_advise.ts')).advise,
  },
  {
    name: 'policy template',
    summary:
      'Print a policy to begin with: limits that an unchanged release passes at such traffic; needs no ledger',
    task: 'Set the rules',
    options: [
      {
        flags: '--traffic <NAME>',
        description: `Runs of a release in the window: ${TEMPLATE_NAMES.map(
          name => `${name} (${count(TEMPLATES[name].runs)})`,
        ).join(', ')}, where skewed has runs that differ much in cost`,
        required: true,
        values: TEMPLATE_NAMES,
      },
    ],
    example: 'svc policy template --traffic mid > policy.yaml',
    load: async () => (await import('./cli_advise.ts')).template,
  },
]
