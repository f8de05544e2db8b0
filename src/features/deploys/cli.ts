import type { CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, REPORT_OUTPUT, TARGET, WINDOW } from '../../cli/arguments/options.ts'

/** `svc release gate` */
export const DEPLOYS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'release gate',
    args: '<RELEASE_ID>',
    summary: 'Say whether a release may pass; exit 0 if so, 3 if it is blocked, 4 for want of evidence',
    task: 'Compare and decide',
    options: [
      { ...ENV, description: 'Environment', required: true },
      WINDOW,
      { flags: '--baseline <RELEASE_ID>', description: 'Compare with this one (default: what is promoted)' },
      REPORT_OUTPUT,
      ...TARGET,
    ],
    example: 'svc release gate rel_0123456789ab --env prod --window 24h --output markdown',
    load: async () => (await import('./cli_gate.ts')).gate,
  },
]
