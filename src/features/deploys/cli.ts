import { REPORT_OUTPUT, TARGET, WINDOW, IN_ENV } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc release gate` */
export const COMMANDS = commands({
  'release gate <RELEASE_ID>': {
    summary:
      'Ask whether a release may be promoted; exit 0 if it may, 3 if a limit blocks it, 4 if only data is missing',
    task: 'Compare and decide',
    options: {
      ...IN_ENV,
      ...WINDOW,
      '--baseline <RELEASE_ID>': 'Compare with this release (default: the live one)',
      ...REPORT_OUTPUT,
      ...TARGET,
    },
    example: 'svc release gate rel_0123456789ab --env prod --window 24h --output markdown',
    load: async () => (await import('./cli_gate.ts')).gate,
  },
})
