import { oneOf } from '../../base/text.ts'
import type { CommandSpec, ServerJob, StatusPart } from '../../cli/arguments/command.ts'
import { HEADER, DETAILED, ENV, OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { WATCH_STATES } from './rules_retry.ts'

/** `svc release watch…` */
export const WATCH_COMMANDS: readonly (CommandSpec | ServerJob | StatusPart)[] = [
  { adds: 'status', load: async () => (await import('./cli_list.ts')).statusLines },
  { runsIn: 'serve', load: async () => (await import('./jobs.ts')).runWatches },
  {
    name: 'release watch',
    args: '<AGENT_ID>',
    summary: 'Watch the live release: compare it with the one before, minute by minute',
    task: 'Roll out and watch',
    options: [
      { ...ENV, description: 'Environment', required: true },
      { flags: '--for <TIME>', description: "How long: 2h, 30m, 1d (default: the policy's, or 2h)" },
      {
        flags: '--against <RELEASE_ID>',
        description: 'The release to compare with (default: baseline, the one that was live before)',
      },
      { flags: '--auto-rollback', description: 'Roll back on a regression, if the policy passes' },
      {
        flags: '--min-runs <N>',
        description: 'With fewer runs only outright failure counts (default 50)',
        number: 'whole',
      },
      {
        flags: '--follow',
        description: 'Show each check until the watch ends; follows a watch that is already running',
      },
      DETAILED,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release watch support-bot --env prod --for 2h --auto-rollback --follow',
    load: async () => (await import('./cli_watch.ts')).watch,
  },
  {
    name: 'release watches',
    summary: 'List watches, newest first',
    lists: 'watch',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
      { flags: '--env <ENV>', description: 'Only this environment' },
      {
        flags: '--state <STATE>',
        description: `Only these: ${oneOf(WATCH_STATES)}`,
        values: [...WATCH_STATES],
      },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release watches --state watching',
    load: async () => (await import('./cli_list.ts')).watches,
  },
  {
    name: 'release cancel',
    args: '<ID>',
    summary: 'End a watch or a promotion request',
    options: [
      { flags: '--reason <TEXT>', description: 'Why', required: true, mayBeEmpty: true },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release cancel wch_0123456789ab --reason "moved to another cluster"',
    load: async () => (await import('./cli_list.ts')).cancel,
  },
]
