import { oneOf } from '../../base/text.ts'
import type {
  CommandSpec,
  OptionSpec,
  PromotedPart,
  ServerJob,
  StatusPart,
} from '../../cli/arguments/command.ts'
import { HEADER, ENV, EXPECT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { REQUEST_STATES, ROLLOUT_UNITS } from '../../models/names.ts'
import { ROLLOUT_STATES } from './rules_steps.ts'

const REASON: OptionSpec = {
  flags: '--reason <TEXT>',
  description: 'Why; recorded in the audit log',
  required: true,
  mayBeEmpty: true,
}

const START: readonly OptionSpec[] = [
  { ...ENV, description: 'Environment', required: true },
  {
    flags: '--steps <STEPS>',
    description: 'Shares that rise and how long each takes (default: 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h)',
  },
  {
    flags: '--by <UNIT>',
    description: `What is split by chance: ${oneOf(ROLLOUT_UNITS)} (default session)`,
    values: [...ROLLOUT_UNITS],
  },
  { flags: '--max-duration <TIME>', description: 'After how long it expires (default 5d)' },
  {
    flags: '--hold <SHARE>',
    description: 'Share that stays on the old release after completion, such as 5%',
  },
  { flags: '--hold-for <TIME>', description: 'For how long it stays, such as 7d' },
  REASON,
  EXPECT,
]

/** `svc release rollout …` */
export const ROLLOUT_COMMANDS: readonly (CommandSpec | PromotedPart | ServerJob | StatusPart)[] = [
  { adds: 'promoted', load: async () => (await import('./cli_rollout.ts')).splitNotes },
  { adds: 'status', load: async () => (await import('./cli_rollout.ts')).statusLines },
  { runsIn: 'serve', load: async () => (await import('./jobs.ts')).runRollouts },
  {
    name: 'release rollout start',
    args: '<RELEASE_ID>',
    summary: 'Give a release to a growing share of users, compare, and promote it at the end',
    task: 'Roll out and watch',
    options: [
      ...START,
      {
        flags: '--dry-run',
        description: 'Show how long each step takes or what blocks the start; write nothing',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release rollout start rel_0123456789ab --env prod --reason "cheaper model"',
    load: async () => (await import('./cli_rollout.ts')).start,
  },
  {
    name: 'release rollout list',
    summary: 'List rollouts, newest first',
    lists: 'rollout',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
      { flags: '--env <ENV>', description: 'Only this environment' },
      {
        flags: '--state <STATE>',
        description: `Only these: ${oneOf(ROLLOUT_STATES)}`,
        values: [...ROLLOUT_STATES],
      },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release rollout list --state running',
    load: async () => (await import('./cli_rollout.ts')).list,
  },
  {
    name: 'release rollout show',
    args: '<ROLLOUT_ID>',
    summary: 'Show a rollout: its step, what the guard measures, and what is missing',
    task: 'Roll out and watch',
    options: [
      { flags: '--follow', description: 'Show it again after each check until it ends' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release rollout show rol_0123456789ab --follow',
    load: async () => (await import('./cli_rollout.ts')).show,
  },
  ...(
    [
      ['pause', 'Pause a rollout: the share stays, nothing advances'],
      ['resume', 'Resume a paused rollout'],
      ['abort', 'Abort a rollout: all users get the live release within a minute'],
    ] as const
  ).map(([verb, summary]): CommandSpec => ({
    name: `release rollout ${verb}`,
    args: '<ROLLOUT_ID>',
    summary,
    options: [REASON, OUTPUT, ...TARGET],
    example: `svc release rollout ${verb} rol_0123456789ab --reason "the answers read oddly"`,
    load: async () => (await import('./cli_rollout.ts'))[verb],
  })),
  {
    name: 'release rollout request',
    args: '<RELEASE_ID>',
    summary: 'Request a rollout that somebody else approves',
    options: [...START, OUTPUT, ...TARGET],
    example: 'svc release rollout request rel_0123456789ab --env prod --reason "cheaper model"',
    load: async () => (await import('./cli_rollout.ts')).request,
  },
  {
    name: 'release rollout confirm',
    args: '<REQUEST_ID>',
    summary: 'Approve a requested rollout, which starts it',
    options: [
      {
        flags: '--reason, --approval-reason <TEXT>',
        description: 'Why it is approved',
        required: true,
        mayBeEmpty: true,
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release rollout confirm rrq_0123456789ab --approval-reason "reviewed"',
    load: async () => (await import('./cli_rollout.ts')).confirm,
  },
  {
    name: 'release rollout reject',
    args: '<REQUEST_ID>',
    summary: 'Reject or withdraw a requested rollout',
    options: [REASON, OUTPUT, ...TARGET],
    example: 'svc release rollout reject rrq_0123456789ab --reason "not this week"',
    load: async () => (await import('./cli_rollout.ts')).reject,
  },
  {
    name: 'release rollout requests',
    summary: 'List requests for rollouts, newest first',
    lists: 'rollout request',
    options: [
      {
        flags: '--status <STATUS>',
        description: `Only these: ${oneOf(REQUEST_STATES)}`,
        values: [...REQUEST_STATES],
      },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc release rollout requests --status pending',
    load: async () => (await import('./cli_rollout.ts')).requests,
  },
]
