import { OUTPUT } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'

/** `svc ledger copy` */
export const COMMANDS = commands({
  'ledger copy': {
    summary: 'Copy a ledger to another database and verify it; stop its writers first',
    options: {
      '--from <DB>': required('The ledger: a SQLite file or database URL'),
      '--to <DB>': required('An empty database'),
      ...OUTPUT,
    },
    example: 'svc ledger copy --from .service/service.db --to postgres://svc@db.example.com/ledger',
    load: async () => (await import('./cli_copy.ts')).copy,
  },
})
