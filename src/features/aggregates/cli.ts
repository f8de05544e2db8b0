import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc aggregates …` */
export const AGGREGATES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'aggregates import',
    args: '<FILE>',
    summary: 'Import sums of runs that an engine made: JSON lines of aggregates; - is stdin',
    options: [
      {
        flags: '--allow-fewer',
        description: 'Also where the engine has fewer runs than it had; takes a reason',
      },
      { flags: '--reason <TEXT>', description: 'Why; kept in the audit log' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'clickhouse-client --queries-file aggregates.sql | svc aggregates import -',
    load: async () => (await import('./cli_aggregates.ts')).importFile,
  },
  {
    name: 'aggregates sources',
    summary: 'List where sums of runs come from, and up to when each is complete',
    options: [OUTPUT, ...TARGET],
    example: 'svc aggregates sources',
    load: async () => (await import('./cli_aggregates.ts')).sources,
  },
]
