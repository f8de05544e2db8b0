import type { CommandSpec, ServerJob } from '../../cli/arguments/command.ts'
import { OUTPUT } from '../../cli/arguments/options.ts'

/** Commands that keep a ledger from growing for ever. */
export const RETENTION_COMMANDS: readonly (CommandSpec | ServerJob)[] = [
  { runsIn: 'serve', load: async () => (await import('./jobs_retention.ts')).runRetention },
  {
    name: 'runs prune',
    summary: 'Archive and remove old run events; rollups and decisions stay',
    options: [
      {
        flags: '--older-than <AGE>',
        description: 'Such as 90d; whole days (UTC) go (default retention.events of service.yaml)',
      },
      { flags: '--dry-run', description: 'Show what would be removed; remove nothing' },
      {
        flags: '--archive <DIR>',
        description: 'Archive them there first (default retention.archive of service.yaml)',
      },
      OUTPUT,
    ],
    example: 'svc runs prune --older-than 90d --archive ./runs-archive',
    load: async () => (await import('./cli_runs.ts')).prune,
  },
  {
    name: 'runs erase',
    summary: "Remove a tenant's run events from the ledger; rollups stay",
    options: [{ flags: '--tenant <TENANT_ID>', description: 'Whose', required: true }, OUTPUT],
    example: 'svc runs erase --tenant acme',
    load: async () => (await import('./cli_runs.ts')).erase,
  },
  {
    name: 'ledger size',
    summary: 'Rows, bytes and growth a day of each table, and when the disk is full',
    options: [OUTPUT],
    example: 'svc ledger size',
    load: async () => (await import('./cli_runs.ts')).size,
  },
  {
    name: 'ledger accept-clock',
    summary: 'Accept the clock of this machine, although the ledger has later times',
    options: [
      {
        flags: '--reason <TEXT>',
        description: 'Why; recorded in the audit log',
        required: true,
        mayBeEmpty: true,
      },
      OUTPUT,
    ],
    example: "svc ledger accept-clock --reason 'the clock was a year ahead on Monday'",
    load: async () => (await import('./cli_runs.ts')).accept,
  },
]
