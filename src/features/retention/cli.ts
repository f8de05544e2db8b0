import { OUTPUT, REASON } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'

/** Commands that keep a ledger from growing for ever. */
export const COMMANDS = commands({
  'runs prune': {
    summary: 'Archive and remove old run events; rollups and decisions stay',
    options: {
      '--older-than <AGE>': 'Such as 90d; whole days (UTC) go (default retention.events of service.yaml)',
      '--dry-run': 'Show what would be removed; remove nothing',
      '--archive <DIR>': 'Archive them there first (default retention.archive of service.yaml)',
      ...OUTPUT,
    },
    example: 'svc runs prune --older-than 90d --archive ./runs-archive',
    load: async () => (await import('./cli_runs.ts')).prune,
  },
  'runs erase': {
    summary: "Remove a tenant's run events from the ledger; rollups stay",
    options: { '--tenant <TENANT_ID>': required('Whose'), ...OUTPUT },
    example: 'svc runs erase --tenant acme',
    load: async () => (await import('./cli_runs.ts')).erase,
  },
  'ledger size': {
    summary: 'Rows, bytes and growth a day of each table, and when the disk is full',
    options: OUTPUT,
    example: 'svc ledger size',
    load: async () => (await import('./cli_runs.ts')).size,
  },
  'ledger accept-clock': {
    summary: 'Accept the clock of this machine, although the ledger has later times',
    options: { ...REASON, ...OUTPUT },
    example: "svc ledger accept-clock --reason 'the clock was a year ahead on Monday'",
    load: async () => (await import('./cli_runs.ts')).accept,
  },
})
