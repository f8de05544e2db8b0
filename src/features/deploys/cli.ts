import type { CommandSpec } from '../../cli/arguments/command.ts'
import { ENV, REPORT_OUTPUT, TARGET, WINDOW } from '../../cli/arguments/options.ts'

/** `svc release gate` */
export const DEPLOYS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'release gate',
    args: '<RELEASE_ID>',
    summary:
      'Ask whether a release may be promoted; exit 0 if it may, 3 if a limit blocks it, 4 if only data is missing',
    task: 'Compare and decide',
    options: [
      { ...ENV, description: 'Environment', required: true },
      WINDOW,
      { flags: '--baseline <RELEASE_ID>', description: 'Compare with this release (default: the live one)' },
      REPORT_OUTPUT,
      ...TARGET,
    ],
    example: 'svc release gate rel_0123456789ab --env prod --window 24h --output markdown',
    load: async () => (await import('./cli_gate.ts')).gate,
  },
]
