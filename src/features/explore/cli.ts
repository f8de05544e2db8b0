import type { CommandSpec } from '../../cli/arguments/command.ts'
import { HEADER, LIMIT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc runs find` */
export const EXPLORE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'runs find',
    args: '<ID>',
    summary: 'Find runs by the id of a run, trace, session or span, whatever their release',
    task: 'Ask why',
    options: [
      {
        flags: '--window <N>d|h|m',
        description:
          'How far back to search traces, sessions and spans (default 30d); run ids are found at any age',
      },
      { ...LIMIT, description: 'At most N (default 100, at most 500)' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc runs find 4bf92f3577b34da6a3ce929d0e0e4736',
    load: async () => (await import('./cli_find.ts')).find,
  },
]
