import type { CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc policy advise` */
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
]
