import { DETAILED, ANSWER, LISTED, PLACE, IN_ENV } from '../../cli/arguments/options.ts'
import { among, commands, reason, whole } from '../../cli/arguments/records.ts'
import { MOST, list } from '../../cli/service/run.ts'
import { timeColumn } from '../../cli/terminal/table.ts'
import { WATCH_STATES } from './rules_retry.ts'

/** `svc release watch…` */
export const COMMANDS = commands({
  'release watch <AGENT_ID>': {
    summary: 'Watch the live release: compare it with the one before, minute by minute',
    task: 'Roll out and watch',
    options: {
      ...IN_ENV,
      '--for <TIME>': "How long: 2h, 30m, 1d (default: the policy's, or 2h)",
      '--against <RELEASE_ID>':
        'The release to compare with (default: baseline, the one that was live before)',
      '--auto-rollback': 'Roll back on a regression, if the policy passes',
      '--min-runs <N>': whole('With fewer runs only outright failure counts (default 50)'),
      '--follow': 'Show each check until the watch ends; follows a watch that is already running',
      ...DETAILED,
      ...ANSWER,
    },
    example: 'svc release watch support-bot --env prod --for 2h --auto-rollback --follow',
    load: async () => (await import('./cli_watch.ts')).watch,
  },
  'release watches': {
    summary: 'List watches, newest first',
    lists: 'watch',
    options: {
      ...PLACE,
      '--state <STATE>': among(WATCH_STATES, 'Only these'),
      ...LISTED,
    },
    example: 'svc release watches --state watching',
    run: list(
      'GET /v1/watches',
      'watches',
      [
        { heading: 'watch', cell: row => row.watch_id, whole: true, rank: 0 },
        { heading: 'state', cell: row => row.state, whole: true, rank: 1 },
        { heading: 'agent', cell: row => row.agent_id, rank: 4 },
        { heading: 'env', cell: row => row.environment, rank: 3 },
        { heading: 'release', cell: row => row.release_id, whole: true, rank: 2 },
        { heading: 'baseline', cell: row => row.baseline_release_id, whole: true, rank: 7 },
        timeColumn('since', row => row.started_at, { rank: 6 }),
        { heading: 'checks', cell: row => row.checks, right: true, rank: 8 },
        { heading: 'because', cell: row => row.ended_because, rank: 5 },
      ],
      { empty: 'no watches; `svc release watch` begins one', most: MOST },
    ),
  },
  'release cancel <ID>': {
    summary: 'End a watch or a promotion request',
    options: { '--reason <TEXT>': reason('Why'), ...ANSWER },
    example: 'svc release cancel wch_0123456789ab --reason "moved to another cluster"',
    load: async () => (await import('./cli_list.ts')).cancel,
  },
})
