import type { LogFormat } from '../../runtime/log.ts'
import { STATUS_PARTS } from './parts.ts'
import { TEMPLATE_NAMES } from '../../features/advice/templates.ts'
import { ANSWER, PLACE } from '../../cli/arguments/options.ts'
import { among, commands, whole } from '../../cli/arguments/records.ts'
const LOG_FORMATS: readonly LogFormat[] = ['text', 'json', 'off']

/** Makes a workspace, shows one, checks it and serves it. */
export const COMMANDS = commands({
  init: {
    summary: 'Make a workspace: service.yaml, the ledger, bundled prices',
    task: 'Start',
    options: {
      '--path <PATH>': 'Where to write the configuration (default service.yaml)',
      '--no-bundled-pricing': 'Import no price tables and write no catalog',
      '--strict': 'Refuse likely mistakes, such as unknown fields, instead of warning',
      '--guided':
        'Ask four questions, and write a policy and a release.yaml too; the flags below answer them',
      '--for <PURPOSE>': among(TEMPLATE_NAMES, 'What the policy is for'),
      '--agent <AGENT_ID>': 'The agent, and the folder of its release.yaml',
      '--env <ENV>': 'The environment in which it goes live',
      '--model <MODEL>': 'Its model, by its name in the bundled prices',
      '--release <DIR>': 'Also write a release.yaml to fill in, into this folder',
    },
    example: 'svc init --release my-agent',
    run: async invocation =>
      invocation.options.given('guided', 'for', 'agent', 'env', 'model')
        ? (await import('../../features/advice/cli_init.ts')).guidedInit(invocation)
        : (await import('../../cli/workspace/init.ts')).init(invocation),
  },
  demo: {
    summary: 'See the whole loop on sample data: promote, block, roll back',
    task: 'Start',
    options: {
      '--quickstart-root <DIR>': 'Use these bundles instead of the shipped ones',
      '--no-verify': 'Skip verifying a bundle against its release',
      '--no-doctor': 'Skip the checks of the ledger',
      '--keep-workspace': 'Keep the folder and print its path',
      '--serve': 'Instead, serve a month of sample data with its web UI until Ctrl-C',
      '--port <PORT>': whole('With --serve, the port (default: a free one)'),
    },
    example: 'svc demo --serve',
    load: async () => (await import('../../cli/workspace/demo.ts')).demo,
  },
  doctor: {
    summary: 'Check the ledger; upgrades its schema first',
    task: 'Run the service',
    options: {
      '--backup <PATH>': 'First write a consistent copy of the SQLite ledger to a new file',
      '--deep': 'Check everything: both chains, each decision and each row',
      ...ANSWER,
    },
    example: 'svc doctor --backup ledger-backup.db',
    load: async () => (await import('../../cli/workspace/doctor.ts')).doctor,
  },
  serve: {
    summary: 'Serve the HTTP API',
    task: 'Run the service',
    options: {
      '--host <HOST>': 'Address to listen on (default 127.0.0.1)',
      '--port <PORT>': whole('Port to listen on (default 8765; 0 picks one)'),
      '--reload': 'Restart when the configuration or, in a checkout, the source changes',
      '--read-only': 'Write nothing, for a standby',
      '--log <FORMAT>': among(LOG_FORMATS, 'Log requests as text (default) or json, or off'),
      '--sqlite-lock-timeout <SECONDS>': {
        description: "Seconds to retry while the ledger is locked, such as 1.5 (default 30; 0: don't)",
        number: 'decimal',
      },
      '--no-retry-sqlite-lock': "Don't retry after the busy time-out of SQLite",
    },
    example: 'SERVICE_LOCAL_API_TOKEN=… svc serve --port 8765',
    load: async () => (await import('../serve.ts')).serve,
  },
  'status [AGENT_ID]': {
    summary: 'Show live releases, pending approvals and problems; with an agent, its newest release',
    task: 'Start',
    options: { ...PLACE, ...ANSWER },
    example: 'svc status support-bot --env prod',
    load: async () => (await import('../../cli/workspace/status.ts')).statusOf(STATUS_PARTS),
  },
})
