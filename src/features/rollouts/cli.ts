import { REASON, EXPECT, ANSWER, LISTED, PLACE, IN_ENV } from '../../cli/arguments/options.ts'
import { type OptionTable, among, commands, reason } from '../../cli/arguments/records.ts'
import { MOST, call, list } from '../../cli/service/run.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { expectedOf } from '../../cli/release/decisions.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { timeColumn } from '../../cli/terminal/table.ts'
import type { Rollout, RolloutRequest } from './models.ts'
import { changedText, startedText } from './cli_text.ts'
import { shareText, oneOf } from '../../base/text.ts'
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

const STARTS = {
  as: { env: 'environment', expect: null },
  takes: async ({ args, options, io, api }: Invocation) => ({
    release_id: await releaseId(args[0]!, await api(), io, options.required('env')),
    ...(await expectedOf(options, await api(), io)),
  }),
}

function confirmedText(answer: Rollout | RolloutRequest): string {
  if ('state' in answer) return `${answer.rollout_id} ${answer.state}\n`
  const { request_id, approvals, approvals_required } = answer
  return `APPROVED  ${request_id}  ${approvals.length} of ${approvals_required}; more approvals are needed\n`
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
    run: call('POST /v1/rollouts', {
      ...STARTS,
      text: startedText,
      note: (_, { options }, { here }) =>
        options.json || options.given('dry-run') || here === undefined
          ? undefined
          : 'a running `svc serve` on this ledger checks it, or `svc release rollout show --follow`',
    }),
  },
  'release rollout list': {
    summary: 'List rollouts, newest first',
    lists: 'rollout',
    options: {
      ...PLACE,
      '--state <STATE>': among(ROLLOUT_STATES, 'Only these'),
      ...LISTED,
    },
    example: 'svc release rollout list --state running',
    run: list(
      'GET /v1/rollouts',
      'rollouts',
      [
        { heading: 'rollout', cell: row => row.rollout_id, whole: true, rank: 0 },
        { heading: 'state', cell: row => row.state, whole: true, rank: 1 },
        {
          heading: 'share',
          cell: row => (row.share === null ? null : shareText(row.share)),
          right: true,
          rank: 2,
        },
        { heading: 'agent', cell: row => row.agent_id, rank: 5 },
        { heading: 'env', cell: row => row.environment, rank: 4 },
        { heading: 'candidate', cell: row => row.candidate_release_id, whole: true, rank: 3 },
        timeColumn('since', row => row.started_at, { rank: 7 }),
        { heading: 'because', cell: row => row.because, rank: 6 },
      ],
      { empty: 'no rollouts; `svc release rollout start` begins one', most: MOST },
    ),
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
    run: call('POST /v1/rollouts/{rollout_id}/pause', { text: changedText }),
  },
  'release rollout resume <ROLLOUT_ID>': {
    summary: 'Resume a paused rollout',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout resume rol_0123456789ab --reason "the answers read oddly"',
    run: call('POST /v1/rollouts/{rollout_id}/resume', { text: changedText }),
  },
  'release rollout abort <ROLLOUT_ID>': {
    summary: 'Abort a rollout: all users get the live release within a minute',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout abort rol_0123456789ab --reason "the answers read oddly"',
    run: call('POST /v1/rollouts/{rollout_id}/abort', { text: changedText }),
  },
  'release rollout request <RELEASE_ID>': {
    summary: 'Request a rollout that somebody else approves',
    options: { ...START, ...ANSWER },
    example: 'svc release rollout request rel_0123456789ab --env prod --reason "cheaper model"',
    run: call('POST /v1/rollouts/request', { ...STARTS, text: ({ request_id }) => `${request_id}\n` }),
  },
  'release rollout confirm <REQUEST_ID>': {
    summary: 'Approve a requested rollout, which starts it',
    options: { '--reason, --approval-reason <TEXT>': reason('Why it is approved'), ...ANSWER },
    example: 'svc release rollout confirm rrq_0123456789ab --reason "reviewed"',
    run: call('POST /v1/rollouts/confirm', { args: ['request_id'], warns: true, text: confirmedText }),
  },
  'release rollout reject <REQUEST_ID>': {
    summary: 'Reject or withdraw a requested rollout',
    options: { ...REASON, ...ANSWER },
    example: 'svc release rollout reject rrq_0123456789ab --reason "not this week"',
    run: call('POST /v1/rollouts/reject', {
      args: ['request_id'],
      text: ({ request_id, resolution, status }) => `${request_id} ${resolution ?? status}\n`,
    }),
  },
  'release rollout requests': {
    summary: 'List requests for rollouts, newest first',
    lists: 'rollout request',
    options: {
      '--status <STATUS>': among(REQUEST_STATES, 'Only these'),
      ...LISTED,
    },
    example: 'svc release rollout requests --status pending',
    run: list(
      'GET /v1/rollout-requests',
      'requests',
      [
        { heading: 'request', cell: row => row.request_id, whole: true, rank: 0 },
        { heading: 'status', cell: row => row.status, rank: 1 },
        { heading: 'candidate', cell: row => row.candidate_release_id, whole: true, rank: 2 },
        { heading: 'agent', cell: row => row.agent_id, rank: 4 },
        { heading: 'env', cell: row => row.environment, rank: 3 },
        timeColumn('asked', row => row.created_at, { rank: 7 }),
        { heading: 'actor', cell: row => row.actor, rank: 6 },
        { heading: 'reason', cell: row => row.reason, rank: 5 },
      ],
      { empty: 'no requests for rollouts', takes: () => ({ limit: MOST }) },
    ),
  },
})
