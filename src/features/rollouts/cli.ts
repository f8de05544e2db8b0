import { REASON, EXPECT, ANSWER, LISTED, PLACE, IN_ENV } from '../../cli/arguments/options.ts'
import { type OptionTable, among, commands, reason } from '../../cli/arguments/records.ts'
import { oneOf } from '../../base/text.ts'
import { REQUEST_STATES, ROLLOUT_UNITS } from '../../models/names.ts'
import { ROLLOUT_STATES } from './rules_steps.ts'

const START: OptionTable = {
  ...IN_ENV,
  '--steps <STEPS>': 'Shares that rise and how long each takes (default: 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h)',
  '--by <UNIT>': among(ROLLOUT_UNITS, `What is split by chance: ${oneOf(ROLLOUT_UNITS)} (default session)`),
  '--max-duration <TIME>': 'After how long it expires (default 5d)',
  '--hold <SHARE>': 'Share that stays on the old release after completion, such as 5%',
  '--hold-for <TIME>': 'For how long it stays, such as 7d',
  ...REASON,
  ...EXPECT,
}

/** `svc release rollout …` */
export const COMMANDS = commands({
  'release rollout start <RELEASE_ID>': {
    summary: 'Give a release to a growing share of users, compare, and promote it at the end',
    task: 'Roll out and watch',
    options: {
      ...START,
      '--dry-run': 'Show how long each step takes or what blocks the start; write nothing',
      ...ANSWER,
    },
    example: 'svc release rollout start rel_0123456789ab --env prod --reason "cheaper model"',
    load: async () => (await import('./cli_rollout.ts')).start,
  },
  'release rollout list': {
    summary: 'List rollouts, newest first',
    lists: 'rollout',
    options: {
      ...PLACE,
      '--state <STATE>': among(ROLLOUT_STATES, `Only these: ${oneOf(ROLLOUT_STATES)}`),
      ...LISTED,
    },
    example: 'svc release rollout list --state running',
    load: async () => (await import('./cli_rollout.ts')).list,
  },
  'release rollout show <ROLLOUT_ID>': {
    summary: 'Show a rollout: its step, what the guard measures, and what is missing',
    task: 'Roll out and watch',
    options: { '--follow': 'Show it again after each check until it ends', ...ANSWER },
    example: 'svc release rollout show rol_0123456789ab --follow',
    load: async () => (await import('./cli_rollout.ts')).show,
  },
  'release rollout pause <ROLLOUT_ID>': {
    summary: 'Pause a rollout: the share stays, nothing advances',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout pause rol_0123456789ab --reason "the answers read oddly"',
    load: async () => (await import('./cli_rollout.ts')).pause,
  },
  'release rollout resume <ROLLOUT_ID>': {
    summary: 'Resume a paused rollout',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout resume rol_0123456789ab --reason "the answers read oddly"',
    load: async () => (await import('./cli_rollout.ts')).resume,
  },
  'release rollout abort <ROLLOUT_ID>': {
    summary: 'Abort a rollout: all users get the live release within a minute',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout abort rol_0123456789ab --reason "the answers read oddly"',
    load: async () => (await import('./cli_rollout.ts')).abort,
  },
  'release rollout request <RELEASE_ID>': {
    summary: 'Request a rollout that somebody else approves',
    options: { ...START, ...ANSWER },
    example: 'svc release rollout request rel_0123456789ab --env prod --reason "cheaper model"',
    load: async () => (await import('./cli_rollout.ts')).request,
  },
  'release rollout confirm <REQUEST_ID>': {
    summary: 'Approve a requested rollout, which starts it',
    options: { '--reason, --approval-reason <TEXT>': reason('Why it is approved'), ...ANSWER },
    example: 'svc release rollout confirm rrq_0123456789ab --approval-reason "reviewed"',
    load: async () => (await import('./cli_rollout.ts')).confirm,
  },
  'release rollout reject <REQUEST_ID>': {
    summary: 'Reject or withdraw a requested rollout',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout reject rrq_0123456789ab --reason "not this week"',
    load: async () => (await import('./cli_rollout.ts')).reject,
  },
  'release rollout requests': {
    summary: 'List requests for rollouts, newest first',
    lists: 'rollout request',
    options: {
      '--status <STATUS>': among(REQUEST_STATES, `Only these: ${oneOf(REQUEST_STATES)}`),
      ...LISTED,
    },
    example: 'svc release rollout requests --status pending',
    load: async () => (await import('./cli_rollout.ts')).requests,
  },
})
