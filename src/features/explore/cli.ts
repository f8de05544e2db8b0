import { LISTED } from '../../cli/arguments/options.ts'
import { commands, whole } from '../../cli/arguments/records.ts'

/** `svc runs find` */
export const COMMANDS = commands({
  'runs find <ID>': {
    summary: 'Find runs by the id of a run, trace, session or span, whatever their release',
    task: 'Ask why',
    options: {
      '--window <N>d|h|m':
        'How far back to search traces, sessions and spans (default 30d); run ids are found at any age',
      '--limit <N>': whole('At most N (default 100, at most 500)'),
      ...LISTED,
    },
    example: 'svc runs find 4bf92f3577b34da6a3ce929d0e0e4736',
    load: async () => (await import('./cli_find.ts')).find,
  },
})
