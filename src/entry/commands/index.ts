import type {
  CommandBranch,
  CommandSpec,
  ServerJob,
  StatusPart,
  TokenRenewal,
} from '../../cli/arguments/command.ts'
import { LIMIT, OUTPUT, PROFILE_OPTION, TARGET } from '../../cli/arguments/options.ts'
import { RELEASE_COMMANDS } from './release.ts'
import { RULES_COMMANDS } from './rules.ts'
import { RUNS_COMMANDS } from './runs.ts'
import { LEDGER_COMMANDS, WORKSPACE_COMMANDS } from './workspace.ts'
import { LOG_KINDS, WEBHOOK_EVENTS as EVENTS, WEBHOOK_FORMATS } from '../../models/names.ts'
import { oneOf } from '../../cli/arguments/help.ts'
import * as features from './features.ts'

/** `svc webhook …` */
const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook add',
    summary:
      'Add a webhook; prints its secret, this once (--profile or SERVICE_URL, not --url, names a remote service)',
    task: 'Run the service',
    options: [
      { flags: '--url <URL>', description: 'Where to send to, http or https', required: true },
      {
        flags: '--event <EVENT>',
        description: `${oneOf(EVENTS)}; say it again for more`,
        values: EVENTS,
        required: true,
        many: true,
      },
      { flags: '--description <TEXT>', description: 'What it is for', mayBeEmpty: true },
      {
        flags: '--format <FORMAT>',
        description: 'json (default), or a message for an incoming webhook of slack or teams',
        values: WEBHOOK_FORMATS,
      },
      OUTPUT,
      PROFILE_OPTION,
    ],
    example:
      'svc webhook add --url https://hooks.example.com/releases --event promote.succeeded --event rollback.succeeded --event rollback.forced',
    load: async () => (await import('../../cli/webhook/webhook.ts')).add,
  },
  {
    name: 'webhook list',
    summary: 'List webhooks; tab-separated but at a terminal',
    options: [OUTPUT, ...TARGET],
    example: 'svc webhook list',
    load: async () => (await import('../../cli/webhook/webhook.ts')).list,
  },
  {
    name: 'webhook remove',
    args: '<WEBHOOK_ID>',
    summary: 'Remove a webhook and its deliveries',
    options: [{ flags: '--yes', description: 'Do not ask' }, OUTPUT, ...TARGET],
    example: 'svc webhook remove whk_0123456789ab --yes',
    load: async () => (await import('../../cli/webhook/webhook.ts')).remove,
  },
  {
    name: 'webhook test',
    args: '<WEBHOOK_ID>',
    summary: 'Send a test.ping to a webhook; exit 1 if it does not arrive',
    options: [OUTPUT, ...TARGET],
    example: 'svc webhook test whk_0123456789ab',
    load: async () => (await import('../../cli/webhook/webhook.ts')).test,
  },
]

/** `svc audit …` */
const AUDIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit log',
    summary: 'The audit log, newest first: decisions, policies, price tables and all else that governs',
    task: 'Ask why',
    options: [
      { flags: '--kind <KIND>', description: 'Only entries of this kind', values: LOG_KINDS },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit log --kind policy.set',
    load: async () => (await import('../../cli/audit/log.ts')).log,
  },
]

const ABOUT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'version',
    summary: 'Print the version, as svc --version does',
    options: [OUTPUT],
    example: 'svc version',
    load: async () => (await import('../../cli/arguments/version.ts')).version,
  },
  {
    name: 'completion',
    args: '<SHELL>',
    summary: 'Print a script that completes commands and options in bash, zsh or fish',
    example: 'source <(svc completion bash)',
    load: async () => (await import('../../cli/arguments/completion.ts')).completion,
  },
]

const STATUS_COMMAND: CommandSpec = {
  name: 'status',
  summary: 'Show what is live, what waits for somebody and what is wrong',
  task: 'Start',
  options: [
    { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
    { flags: '--env <ENV>', description: 'Only this environment' },
    OUTPUT,
    ...TARGET,
  ],
  example: 'svc status --env prod',
  load: async () =>
    (await import('../../cli/workspace/status.ts')).statusOf(OF_FEATURES.filter(added => 'adds' in added)),
}

const OF_FEATURES: readonly (CommandSpec | CommandBranch | ServerJob | StatusPart | TokenRenewal)[] =
  Object.values(features).flat()

/** Gets another token for a profile; undefined where no feature can. */
export const RENEWAL = OF_FEATURES.find(added => 'renews' in added)

/** All commands, in the order of the help: a group together, the core's first. Each loads its code when it is called. */
export const COMMANDS: readonly CommandSpec[] = OF_FEATURES.filter(added => 'of' in added).reduce(
  branched,
  byGroup([
    ...WORKSPACE_COMMANDS,
    STATUS_COMMAND,
    ...RELEASE_COMMANDS,
    ...RULES_COMMANDS,
    ...AUDIT_COMMANDS,
    ...RUNS_COMMANDS,
    ...WEBHOOK_COMMANDS,
    ...LEDGER_COMMANDS,
    ...OF_FEATURES.filter(added => 'name' in added),
    ...ABOUT_COMMANDS,
  ]),
)

function byGroup(commands: readonly CommandSpec[]): readonly CommandSpec[] {
  return [...Map.groupBy(commands, ({ name }) => name.split(' ')[0]).values()].flat()
}

/** The commands with one of them branched: its options come before `--output`, and lead where the branch does. */
function branched(
  commands: readonly CommandSpec[],
  { of, when, options: added, load }: CommandBranch,
): readonly CommandSpec[] {
  const command = commands.find(({ name }) => name === of)
  if (command === undefined) throw new Error(`no command ${of} to branch`)
  const options = [...(command.options ?? [])]
  options.splice(
    options.findIndex(({ flags }) => flags.startsWith('--output')),
    0,
    ...added,
  )
  return commands.with(commands.indexOf(command), {
    ...command,
    options,
    load: async () => async invocation => {
      const run = await (invocation.options.text(when) === undefined ? command : { load }).load()
      return run(invocation)
    },
  })
}
