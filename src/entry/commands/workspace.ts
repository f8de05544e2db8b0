import type { LogFormat } from '../../runtime/log.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, PROFILE_OPTION, TARGET } from '../../cli/arguments/options.ts'
import { WEBHOOK_EVENTS as EVENTS, WEBHOOK_FORMATS } from '../../models/names.ts'
import { oneOf } from '../../cli/arguments/help.ts'

const LOG_FORMATS: readonly LogFormat[] = ['text', 'json', 'off']

/** Commands that make a workspace, show one, check it and serve it. */
export const WORKSPACE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'Make a workspace: service.yaml, the ledger, bundled prices',
    task: 'Start',
    options: [
      { flags: '--path <PATH>', description: 'Where to write the configuration (default service.yaml)' },
      { flags: '--no-bundled-pricing', description: 'Import no price tables and write no catalog' },
      {
        flags: '--strict',
        description: 'Have refused what is otherwise only warned of, such as unknown fields',
      },
      { flags: '--release <DIR>', description: 'Also write a release.yaml to fill in into this folder' },
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
    ],
    example: 'svc demo --keep-workspace',
    load: async () => (await import('../../cli/workspace/demo.ts')).demo,
  },
  {
    name: 'doctor',
    summary: 'Migrate the ledger and check it',
    task: 'Run the service',
    options: [
      {
        flags: '--backup <PATH>',
        description: 'First write a consistent copy of the SQLite ledger to a new file',
      },
      {
        flags: '--deep',
        description:
          'Verify all from the first entry on: both chains, every decision anew, every row that they hold',
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
      { flags: '--read-only', description: 'Write nothing: for a standby, which is ready when it reads' },
      {
        flags: '--log <FORMAT>',
        description: 'Log requests as text (default) or json, or off',
        values: LOG_FORMATS,
      },
      {
        flags: '--sqlite-lock-timeout <SECONDS>',
        description: "How long to go on trying when the ledger is locked, such as 1.5 (default 30; 0: don't)",
        number: 'decimal',
      },
      { flags: '--no-retry-sqlite-lock', description: 'Give up when the busy time-out of SQLite is over' },
    ],
    example: 'SERVICE_LOCAL_API_TOKEN=… svc serve --port 8765',
    load: async () => (await import('../serve.ts')).serve,
  },
]

/** Commands that repair a ledger and migrate it. */
export const LEDGER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'rollups rebuild',
    summary: 'Rebuild roll-ups and counters from the raw events',
    options: [OUTPUT, ...TARGET],
    example: 'svc rollups rebuild',
    load: async () => (await import('../../cli/workspace/doctor.ts')).rebuild,
  },
  {
    name: 'ledger migrate',
    summary: 'Bring the ledger to the schema of this program, where its servers have no right to',
    options: [OUTPUT],
    example: 'SERVICE_DATABASE_URL=postgres://owner@db.example.com/ledger svc ledger migrate',
    load: async () => (await import('../../cli/workspace/doctor.ts')).migrateLedger,
  },
]

/** `svc webhook …` */
export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
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
