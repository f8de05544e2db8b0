import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc aggregates …` */
export const AGGREGATES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'aggregates import',
    args: '<FILE>',
    summary: 'Import aggregates from a warehouse (JSON lines; - reads stdin)',
    options: [
      {
        flags: '--allow-fewer',
        description: 'Accept fewer runs than were imported before; needs --reason',
      },
      { flags: '--reason <TEXT>', description: 'Why; recorded in the audit log' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'clickhouse-client --queries-file aggregates.sql | svc aggregates import -',
    load: async () => (await import('./cli_aggregates.ts')).importFile,
  },
  {
    name: 'aggregates sources',
    summary: 'List sources of aggregates, and up to when each is complete',
    options: [OUTPUT, ...TARGET],
    example: 'svc aggregates sources',
    load: async () => (await import('./cli_aggregates.ts')).sources,
  },
]
