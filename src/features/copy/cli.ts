import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT } from '../../cli/arguments/options.ts'

/** `svc ledger copy` */
export const COPY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'ledger copy',
    summary: 'Copy a ledger to another database and verify it; stop its writers first',
    options: [
      { flags: '--from <DB>', description: 'The ledger: a SQLite file or database URL', required: true },
      { flags: '--to <DB>', description: 'An empty database', required: true },
      OUTPUT,
    ],
    example: 'svc ledger copy --from .service/service.db --to postgres://svc@db.example.com/ledger',
    load: async () => (await import('./cli_copy.ts')).copy,
  },
]
