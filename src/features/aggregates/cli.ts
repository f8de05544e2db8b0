import { ANSWER } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc aggregates …` */
export const COMMANDS = commands({
  'aggregates import <FILE>': {
    summary: 'Import aggregates from a warehouse (JSON lines; - reads stdin)',
    options: {
      '--allow-fewer': 'Accept fewer runs than were imported before; needs --reason',
      '--reason <TEXT>': 'Why; recorded in the audit log',
      ...ANSWER,
    },
    example: 'clickhouse-client --queries-file aggregates.sql | svc aggregates import -',
    load: async () => (await import('./cli_aggregates.ts')).importFile,
  },
  'aggregates sources': {
    summary: 'List sources of aggregates, and up to when each is complete',
    options: ANSWER,
    example: 'svc aggregates sources',
    load: async () => (await import('./cli_aggregates.ts')).sources,
  },
})
