import type { CommandSpec } from '../../cli/arguments/command.ts'
import { HEADER, LIMIT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

const AGENT = { flags: '--agent <AGENT_ID>', description: 'Only this agent' } as const

/** `svc release capabilities`, `acknowledge` and `bom` */
export const CAPABILITY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'release capabilities',
    args: '<RELEASE_ID>',
    summary: 'Show the capabilities of a release, and what its runs did beyond them',
    options: [OUTPUT, ...TARGET],
    example: 'svc release capabilities rel_0123456789ab',
    load: async () => (await import('./cli_capabilities.ts')).show,
  },
  {
    name: 'release acknowledge',
    args: '<RELEASE_ID>',
    summary: 'Acknowledge capabilities that the live release lacks, where the policy blocks on that',
    options: [
      { flags: '--env <ENV>', description: 'Environment', required: true },
      {
        flags: '--reason <TEXT>',
        description: 'Why; kept in the audit log',
        required: true,
        mayBeEmpty: true,
      },
      {
        flags: '--expect <RELEASE_ID>',
        description: 'Acknowledge only if this release is still live there; otherwise exit 1',
      },
      { flags: '--yes', description: 'Acknowledge without showing the difference first and asking' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release acknowledge rel_0123456789ab --env prod --reason "mail is reviewed"',
    load: async () => (await import('./cli_capabilities.ts')).acknowledge,
  },
  {
    name: 'release acknowledgements',
    summary: 'List acknowledgements, newest first',
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
  {
    name: 'release bom',
    args: '<RELEASE_ID>',
    summary: 'Print the bill of materials of a release',
    options: [
      { flags: '--format <FORMAT>', description: 'cyclonedx, version 1.6 (default)', values: ['cyclonedx'] },
      ...TARGET,
    ],
    example: 'svc release bom rel_0123456789ab > bom.json',
    load: async () => (await import('./cli_capabilities.ts')).bom,
  },
]
