import { call } from '../../cli/service/run.ts'
import { OUTPUT, ANSWER } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'
/** Repairs a ledger and migrates it. */
export const COMMANDS = commands({
  'rollups rebuild': {
    summary: 'Rebuild rollups and counters from the raw events',
    options: ANSWER,
    example: 'svc rollups rebuild',
    run: call('POST /v1/rollups/rebuild', {
      text: ({ days, differences }) =>
        [`rebuilt ${days} days of rollups`, ...differences.map(text => `differed before: ${text}`), ''].join(
          '\n',
        ),
    }),
  },
  'ledger migrate': {
    summary: 'Upgrade the schema of the ledger, as its owner, if servers may not',
    options: OUTPUT,
    example: 'SERVICE_DATABASE_URL=postgres://owner@db.example.com/ledger svc ledger migrate',
    load: async () => (await import('../../cli/workspace/doctor.ts')).migrateLedger,
  },
})
