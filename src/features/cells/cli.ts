import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc cells …` */
export const CELLS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'cells import',
    args: '<FILE>',
    summary: 'Import sums of runs that an engine made: JSON lines of cells; - is stdin',
    options: [
      {
        flags: '--allow-fewer',
        description: 'Also where the engine has fewer runs than it had; takes a reason',
      },
      { flags: '--reason <TEXT>', description: 'Why; kept in the audit log' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'clickhouse-client --queries-file cells.sql | svc cells import -',
    load: async () => (await import('./cli_cells.ts')).importFile,
  },
  {
    name: 'cells sources',
    summary: 'List where sums of runs come from, and up to when each is complete',
    options: [OUTPUT, ...TARGET],
    example: 'svc cells sources',
    load: async () => (await import('./cli_cells.ts')).sources,
  },
]
