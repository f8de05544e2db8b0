import { DETAILED, ANSWER, LISTED, PLACE, IN_ENV } from '../../cli/arguments/options.ts'
import { among, commands, reason, whole } from '../../cli/arguments/records.ts'
import { oneOf } from '../../base/text.ts'
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
      '--state <STATE>': among(WATCH_STATES, `Only these: ${oneOf(WATCH_STATES)}`),
      ...LISTED,
    },
    example: 'svc release watches --state watching',
    load: async () => (await import('./cli_list.ts')).watches,
  },
  'release cancel <ID>': {
    summary: 'End a watch or a promotion request',
    options: { '--reason <TEXT>': reason('Why'), ...ANSWER },
    example: 'svc release cancel wch_0123456789ab --reason "moved to another cluster"',
    load: async () => (await import('./cli_list.ts')).cancel,
  },
})
