import type { FoundRuns } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { call } from '../../cli/service/run.ts'
import { type Column, table } from '../../cli/terminal/table.ts'
import { count, safe } from '../../cli/terminal/text.ts'
import { RUN_COLUMNS } from '../../cli/runs/runs.ts'
import { LISTED } from '../../cli/arguments/options.ts'
import { commands, whole } from '../../cli/arguments/records.ts'

const COLUMNS: readonly Column<FoundRun>[] = [
  { heading: 'matched by', cell: row => row.matched_by, rank: 6 },
  { heading: 'release', cell: row => row.event.release_id, whole: true, rank: 0 },
  { heading: 'env', cell: row => row.event.environment, rank: 4 },
  ...RUN_COLUMNS.map(({ cell, shown, ...column }): Column<FoundRun> => ({
    ...column,
    cell: row => cell(row.event),
    ...(shown === undefined ? {} : { shown: row => shown(row.event) }),
  })),
]

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
    run: call('GET /v1/runs/find', {
      args: ['id'],
      text: ({ runs }, { io }) => table(COLUMNS, runs, io),
      note: foundNote,
    }),
  },
})

type FoundRun = FoundRuns['runs'][number]

function foundNote({ runs, since, truncated }: FoundRuns, { args, options }: Invocation): string | undefined {
  if (options.json) return undefined
  if (runs.length === 0)
    return `no run, and since ${since} no trace, session or span, has the id ${safe(args[0]!)}`
  return truncated ? `the newest ${count(runs.length)}; more match` : undefined
}
