import { oneOf } from '../../base/text.ts'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type {
  CommandBranch,
  CommandSpec,
  Invocation,
  PromotedPart,
  ServerJob,
  StatusPart,
  TokenRenewal,
} from '../../cli/arguments/command.ts'
import {
  HEADER,
  JSON_OUTPUT,
  LIMIT,
  OUTPUT,
  PROFILE_OPTION,
  RUN_FILTERS,
  TARGET,
} from '../../cli/arguments/options.ts'
import { pretty } from '../../cli/terminal/text.ts'
import type { LogFormat } from '../../runtime/log.ts'
import { releaseCommands } from './release.ts'
import { WEBHOOK_EVENTS as EVENTS, LOG_FAMILIES, LOG_KINDS, WEBHOOK_FORMATS } from '../../models/names.ts'
import * as features from './features.ts'

const LOG_FORMATS: readonly LogFormat[] = ['text', 'json', 'off']

/** Commands that make a workspace, show one, check it and serve it. */
const WORKSPACE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'Make a workspace: service.yaml, the ledger, bundled prices',
    task: 'Start',
    options: [
      { flags: '--path <PATH>', description: 'Where to write the configuration (default service.yaml)' },
      { flags: '--no-bundled-pricing', description: 'Import no price tables and write no catalog' },
      {
        flags: '--strict',
        description: 'Refuse likely mistakes, such as unknown fields, instead of warning',
      },
      { flags: '--release <DIR>', description: 'Also write a release.yaml to fill in, into this folder' },
    ],
    example: 'svc init --release my-agent',
    load: async () => (await import('../../cli/workspace/init.ts')).init,
  },
  {
    name: 'demo',
    summary: 'See the whole loop on sample data: promote, block, roll back',
    task: 'Start',
    options: [
      { flags: '--quickstart-root <DIR>', description: 'Use these bundles instead of the shipped ones' },
      { flags: '--no-verify', description: 'Skip verifying a bundle against its release' },
      { flags: '--no-doctor', description: 'Skip the checks of the ledger' },
      { flags: '--keep-workspace', description: 'Keep the folder and print where it is' },
      {
        flags: '--serve',
        description: 'Instead, serve a month of sample data with its web UI until Ctrl-C',
      },
      {
        flags: '--port <PORT>',
        description: 'With --serve, the port (default: a free one)',
        number: 'whole',
      },
    ],
    example: 'svc demo --serve',
    load: async () => (await import('../../cli/workspace/demo.ts')).demo,
  },
  {
    name: 'doctor',
    summary: 'Check the ledger; upgrades its schema first',
    task: 'Run the service',
    options: [
      {
        flags: '--backup <PATH>',
        description: 'First write a consistent copy of the SQLite ledger to a new file',
      },
      {
        flags: '--deep',
        description: 'Check everything: both chains, each decision and each row',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc doctor --backup ledger-backup.db',
    load: async () => (await import('../../cli/workspace/doctor.ts')).doctor,
  },
  {
    name: 'serve',
    summary: 'Serve the HTTP API',
    task: 'Run the service',
    options: [
      { flags: '--host <HOST>', description: 'Address to listen on (default 127.0.0.1)' },
      {
        flags: '--port <PORT>',
        description: 'Port to listen on (default 8765; 0 picks one)',
        number: 'whole',
      },
      {
        flags: '--reload',
        description: 'Restart when the configuration or, in a checkout, the source changes',
      },
      { flags: '--read-only', description: 'Write nothing, for a standby' },
      {
        flags: '--log <FORMAT>',
        description: 'Log requests as text (default) or json, or off',
        values: LOG_FORMATS,
      },
      {
        flags: '--sqlite-lock-timeout <SECONDS>',
        description: "Seconds to retry while the ledger is locked, such as 1.5 (default 30; 0: don't)",
        number: 'decimal',
      },
      { flags: '--no-retry-sqlite-lock', description: "Don't retry after the busy time-out of SQLite" },
    ],
    example: 'SERVICE_LOCAL_API_TOKEN=… svc serve --port 8765',
    load: async () => (await import('../serve.ts')).serve,
  },
]

/** Commands that repair a ledger and migrate it. */
const LEDGER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'rollups rebuild',
    summary: 'Rebuild rollups and counters from the raw events',
    options: [OUTPUT, ...TARGET],
    example: 'svc rollups rebuild',
    load: async () => (await import('../../cli/workspace/doctor.ts')).rebuild,
  },
  {
    name: 'ledger migrate',
    summary: 'Upgrade the schema of the ledger, as its owner, if servers may not',
    options: [OUTPUT],
    example: 'SERVICE_DATABASE_URL=postgres://owner@db.example.com/ledger svc ledger migrate',
    load: async () => (await import('../../cli/workspace/doctor.ts')).migrateLedger,
  },
]

/** `svc pricing …` and `svc policy …` */
const RULES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'pricing import',
    args: '<PATH>',
    summary: 'Import a price table (YAML)',
    task: 'Set the rules',
    options: [
      { flags: '--replace', description: 'Replace a table of the same provider and version' },
      {
        flags: '--reason <TEXT>',
        description: 'Why it is replaced; required with --replace',
        mayBeEmpty: true,
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing import prices/openai.yaml --replace --reason "new list prices"',
    load: async () => (await import('../../cli/rules/pricing.ts')).importTable,
  },
  {
    name: 'pricing show',
    summary: 'Show a price table as JSON',
    options: [
      { flags: '--provider <P>', description: 'Provider of the table', required: true },
      { flags: '--version <V>', description: 'Version of the table', required: true },
      JSON_OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing show --provider openai --version svc-bundled-2026-11-21',
    load: async () => (await import('../../cli/rules/pricing.ts')).show,
  },
  {
    name: 'pricing check',
    args: '[...RELEASE_ID]',
    summary: 'List stale bundled price tables, or models of a release in the last 7 days that have no price',
    options: [
      {
        flags: '--max-age-days <N>',
        description: 'Days after which a table is stale (default 90)',
        number: 'whole',
      },
      { flags: '--fail', description: 'Exit 1 if one is stale' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing check --max-age-days 30 --fail',
    load: async () => (await import('../../cli/rules/pricing.ts')).check,
  },
  {
    name: 'policy set',
    args: '<PATH>',
    summary: 'Set the policy (YAML or JSON)',
    task: 'Set the rules',
    options: [{ flags: '--reason <TEXT>', description: 'Why; recorded in the audit log' }, OUTPUT, ...TARGET],
    example: 'svc policy set policy.yaml --reason "latency budget of Q3"',
    load: async () => (await import('../../cli/rules/policy.ts')).set,
  },
  {
    name: 'policy validate',
    args: '<PATH>',
    summary: 'Check whether a policy (YAML or JSON) is valid',
    options: [OUTPUT],
    example: 'svc policy validate policy.yaml',
    load: async () => (await import('../../cli/rules/policy.ts')).validate,
  },
  {
    name: 'policy show',
    summary: 'Show the policy as JSON, also for one agent or environment',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'The policy for this agent' },
      {
        flags: '--env <ENV>',
        description: "The policy for this environment (with --agent: the workspace's default)",
      },
      JSON_OUTPUT,
      ...TARGET,
    ],
    example: 'svc policy show --agent support-bot --env prod',
    load: async () => (await import('../../cli/rules/policy.ts')).show,
  },
]

/** `svc runs …` */
const RUNS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'runs list',
    args: '<RELEASE_ID>',
    summary: "List a release's run events, newest first",
    options: [
      ...RUN_FILTERS,
      { ...LIMIT, description: 'At most N (default 100, at most 500)' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc runs list rel_0123456789ab --window 24h --tenant acme',
    load: async () => (await import('../../cli/runs/runs.ts')).list,
  },
  {
    name: 'runs export',
    args: '<RELEASE_ID>',
    summary: "Export a release's run events as JSONL",
    options: [
      ...RUN_FILTERS,
      { ...LIMIT, description: 'At most N (default and maximum 500)' },
      { flags: '-o, --out <FILE>', description: 'Write to this file instead of stdout' },
      ...TARGET,
    ],
    example: 'svc runs export rel_0123456789ab --window 7d -o runs.jsonl',
    load: async () => (await import('../../cli/runs/runs.ts')).exportRuns,
  },
  {
    name: 'runs ingest',
    args: '<PATH>',
    summary: 'Ingest run events: JSONL or a JSON array; - reads stdin',
    task: 'Register releases and send runs',
    options: [
      {
        flags: '--restored',
        description: 'PATH is a file of `svc runs prune`: restore it, on the machine of the ledger',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc runs ingest events.jsonl',
    ownThread: ([path = '-'], folder) => path === '-' || !isShort(resolve(folder, path)),
    load: async () => async invocation =>
      invocation.options.flag('restored') === true
        ? (await import('../../features/retention/cli_runs.ts')).restore(invocation)
        : (await import('../../cli/runs/ingest.ts')).ingest(invocation),
  },
]

/** `svc webhook …` */
const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook add',
    summary:
      'Add a webhook and print its secret, this once (name a remote service by --profile or SERVICE_URL)',
    task: 'Run the service',
    options: [
      { flags: '--to, --url <URL>', description: 'Where to send to, http or https', required: true },
      {
        flags: '--event <EVENT>',
        description: `${oneOf(EVENTS)}; repeatable`,
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
      'svc webhook add --to https://hooks.example.com/releases --event promote.succeeded --event rollback.succeeded --event rollback.forced',
    load: async () => (await import('../../cli/webhook/webhook.ts')).add,
  },
  {
    name: 'webhook list',
    summary: 'List webhooks',
    lists: 'webhook',
    options: [HEADER, OUTPUT, ...TARGET],
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
    summary: 'List the audit log, newest first: decisions, policies, prices, tokens and other changes',
    task: 'Ask why',
    options: [
      {
        flags: '--kind <KIND>',
        description: 'Only entries of this kind, or of all kinds with this prefix, such as policy',
        values: [...LOG_KINDS, ...LOG_FAMILIES],
      },
      { ...LIMIT, description: 'The newest N (default all)' },
      HEADER,
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
    load: async () => version,
  },
  {
    name: 'docs',
    args: '[PAGE]',
    summary: 'Print a page of the documentation, or list the pages',
    example: 'svc docs policy',
    load: async () => (await import('../../cli/docs.ts')).docs,
  },
]

const STATUS_COMMAND: CommandSpec = {
  name: 'status',
  args: '[AGENT_ID]',
  summary: 'Show live releases, pending approvals and problems; with an agent, its newest release',
  task: 'Start',
  options: [
    { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
    { flags: '--env <ENV>', description: 'Only this environment' },
    OUTPUT,
    ...TARGET,
  ],
  example: 'svc status support-bot --env prod',
  load: async () =>
    (await import('../../cli/workspace/status.ts')).statusOf(
      OF_FEATURES.filter(added => 'adds' in added && added.adds === 'status'),
    ),
}

const OF_FEATURES: readonly (
  | CommandSpec
  | CommandBranch
  | PromotedPart
  | ServerJob
  | StatusPart
  | TokenRenewal
)[] = Object.values(features).flat()

/** Gets another token for a profile; undefined where no feature can. */
export const RENEWAL = OF_FEATURES.find(added => 'renews' in added)

/** All commands, in the order of the help: a group together, the core's first. Each loads its code when it is called. */
export const COMMANDS: readonly CommandSpec[] = OF_FEATURES.filter(added => 'of' in added).reduce(
  branched,
  byGroup([
    ...WORKSPACE_COMMANDS,
    STATUS_COMMAND,
    ...releaseCommands(OF_FEATURES.filter(added => 'adds' in added && added.adds === 'promoted')),
    ...RULES_COMMANDS,
    ...AUDIT_COMMANDS,
    ...RUNS_COMMANDS,
    ...WEBHOOK_COMMANDS,
    ...LEDGER_COMMANDS,
    ...OF_FEATURES.filter(added => 'name' in added),
    ...ABOUT_COMMANDS,
  ]),
)

/** A command, and the same by its other name: the short help lists the first alone. */
function withItsOtherName(command: CommandSpec): readonly CommandSpec[] {
  const { also, task: _, ...other } = command
  if (also === undefined) return [command]
  const example = other.example.replace(other.name, also)
  return [command, { ...other, name: also, summary: `The same as \`svc ${other.name}\``, example }]
}

function byGroup(commands: readonly CommandSpec[]): readonly CommandSpec[] {
  const all = commands.flatMap(withItsOtherName)
  return [...Map.groupBy(all, ({ name }) => name.split(' ')[0]).values()].flat()
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
      const { options: given } = invocation
      const leads = when.some(name => given.text(name) !== undefined || given.flag(name) === true)
      const run = await (leads ? { load } : command).load()
      return run(invocation)
    },
  })
}

/** To start a thread takes longer than it spares with fewer events than such a file has. */
const SHORT_BYTES = 2_000_000

/** What can't be looked at is none: who reads it says why. */
function isShort(file: string): boolean {
  try {
    const found = statSync(file)
    return found.isFile() && found.size < SHORT_BYTES
  } catch {
    return false
  }
}

async function version({ options, io, version: text }: Invocation): Promise<number> {
  io.out(options.json ? pretty({ version: text }) : `${text}\n`)
  return 0
}
