import type { LogFormat } from '../../runtime/log.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

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
