import type { CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { TEMPLATE_NAMES } from './templates.ts'

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
    summary: 'Print a policy to begin with: limits that an unchanged release passes, each explained',
    task: 'Set the rules',
    options: [
      { flags: '--for <PURPOSE>', description: 'What it decides', required: true, values: TEMPLATE_NAMES },
      {
        flags: '--agent <AGENT_ID>',
        description:
          'Derive absolute limits from the runs of the live release of this agent; without it no ledger is needed',
      },
      { flags: '--from <RELEASE_ID>', description: 'Derive them from the runs of this release instead' },
      ENV,
      ...TARGET,
    ],
    example: 'svc policy template --for ci --agent support-bot --env ci > policy.yaml',
    load: async () => (await import('./cli_advise.ts')).template,
  },
]
