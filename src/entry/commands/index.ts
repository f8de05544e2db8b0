import type {
  CommandBranch,
  CommandSpec,
  ServerJob,
  StatusPart,
  TokenRenewal,
} from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import * as features from './features.ts'
import { RELEASE_COMMANDS } from './release.ts'
import { AUDIT_COMMANDS, RULES_COMMANDS } from './rules.ts'
import { RUNS_COMMANDS } from './runs.ts'
import { LEDGER_COMMANDS, WEBHOOK_COMMANDS, WORKSPACE_COMMANDS } from './workspace.ts'

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
