import type { CommandSpec } from '../../cli/arguments/command.ts'
import { HEADER, LIMIT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

const AGENT = { flags: '--agent <AGENT_ID>', description: 'Only this agent' } as const

/** `svc release capabilities` and `acknowledge` */
export const CAPABILITY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'release capabilities',
    args: '<RELEASE_ID>',
    summary: 'Show the capabilities of a release, and undeclared tools and models of its runs',
    options: [OUTPUT, ...TARGET],
    example: 'svc release capabilities rel_0123456789ab',
    load: async () => (await import('./cli_capabilities.ts')).show,
  },
  {
    name: 'release acknowledge',
    args: '<RELEASE_ID>',
    summary: 'Approve new capabilities of a release, which the policy blocks',
    options: [
      { flags: '--env <ENV>', description: 'Environment', required: true },
      {
        flags: '--reason <TEXT>',
        description: 'Why; recorded in the audit log',
        required: true,
        mayBeEmpty: true,
      },
      {
        flags: '--expect <RELEASE_ID>',
        description: 'Approve only if this release is live; otherwise exit 1',
      },
      { flags: '--yes', description: 'Approve without showing the difference and asking' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release acknowledge rel_0123456789ab --env prod --reason "mail is reviewed"',
    load: async () => (await import('./cli_capabilities.ts')).acknowledge,
  },
  {
    name: 'release acknowledgements',
    summary: 'List approvals of capabilities, newest first',
    options: [
      AGENT,
      { flags: '--env <ENV>', description: 'Only this environment' },
      LIMIT,
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release acknowledgements --env prod',
    load: async () => (await import('./cli_capabilities.ts')).acknowledgements,
  },
]
