import type { Invocation } from './arguments/invocation.ts'
import {
  DECIDE,
  DECISION,
  DETAILED,
  ENV,
  FILTERS,
  OUTPUT,
  type OptionSpec,
  RUN_FILTERS,
  URL_OPTION,
  WINDOW,
} from './arguments/options.ts'

/** A command of `svc`, as it is typed and as its help shows it. */
export interface CommandSpec {
  readonly name: string
  /** Positional arguments: `<REQUIRED> [OPTIONAL]`. */
  readonly args?: string
  readonly summary: string
  readonly options?: readonly OptionSpec[]
  readonly example: string
  /** Whether the ledger runs in a thread of its own, so that both cores work. */
  readonly ownThread?: boolean
  readonly load: () => Promise<(invocation: Invocation) => Promise<number>>
}

/** All commands, in the order of the help. Each loads its code when it is called. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'Make a workspace: service.yaml, the ledger, bundled prices',
    options: [
      { flags: '--path <PATH>', description: 'Where to write the configuration (default service.yaml)' },
      { flags: '--no-bundled-pricing', description: 'Import no price tables and write no catalog' },
    ],
    example: 'svc init',
    load: async () => (await import('./workspace/init.ts')).init,
  },
  {
    name: 'demo',
    summary: 'See the whole loop on sample data: promote, block, roll back',
    options: [
      { flags: '--quickstart-root <DIR>', description: 'Use these bundles instead of the shipped ones' },
      { flags: '--no-verify', description: 'Skip verifying a bundle against its release' },
      { flags: '--no-doctor', description: 'Skip the checks of the ledger' },
      { flags: '--keep-workspace', description: 'Keep the folder and print where it is' },
    ],
    example: 'svc demo --keep-workspace',
    load: async () => (await import('./workspace/demo.ts')).demo,
  },
  {
    name: 'doctor',
    summary: 'Migrate the ledger and check it',
    options: [
      {
        flags: '--backup <PATH>',
        description: 'First write a consistent copy of the SQLite ledger to a new file',
      },
      { flags: '--deep', description: 'Also compare roll-ups with raw events and replay every decision' },
      URL_OPTION,
    ],
    example: 'svc doctor --backup ledger-backup.db',
    load: async () => (await import('./workspace/doctor.ts')).doctor,
  },
  {
    name: 'serve',
    summary: 'Serve the HTTP API',
    options: [
      { flags: '--host <HOST>', description: 'Address to listen on (default 127.0.0.1)' },
      { flags: '--port <PORT>', description: 'Port to listen on (default 8765; 0 picks one)' },
      {
        flags: '--reload',
        description: 'Restart when the configuration or, in a checkout, the source changes',
      },
      { flags: '--log <FORMAT>', description: 'Log requests as text (default) or json, or off' },
      {
        flags: '--sqlite-lock-timeout <SECONDS>',
        description: "How long to go on trying when the ledger is locked (default 30; 0: don't)",
      },
      { flags: '--no-retry-sqlite-lock', description: 'Give up when the busy time-out of SQLite is over' },
    ],
    example: 'SERVICE_LOCAL_API_TOKEN=… svc serve --port 8765',
    load: async () => (await import('./workspace/serve.ts')).serve,
  },
  {
    name: 'release register',
    args: '<PATH>',
    summary: 'Register a release.yaml, or the folder that holds one; prints its id',
    options: [ENV, URL_OPTION],
    example: 'svc release register ./my-agent --env prod',
    load: async () => (await import('./release/release_bundle.ts')).register,
  },
  {
    name: 'release list',
    summary: 'List releases, newest first, tab-separated',
    options: [OUTPUT, URL_OPTION],
    example: 'svc release list | head -5',
    load: async () => (await import('./release/release.ts')).list,
  },
  {
    name: 'release show',
    args: '<RELEASE_ID>',
    summary: 'Show a release with its artifact, as JSON',
    options: [URL_OPTION],
    example: 'svc release show rel_0123456789ab',
    load: async () => (await import('./release/release.ts')).show,
  },
  {
    name: 'release verify',
    args: '<RELEASE_ID>',
    summary: 'Compare a bundle with the checksum of a release; exit 2 if they differ',
    options: [
      {
        flags: '--path <BUNDLE_PATH>',
        description: 'The bundle: a release.yaml or its folder',
        required: true,
      },
      URL_OPTION,
    ],
    example: 'svc release verify rel_0123456789ab --path ./my-agent',
    load: async () => (await import('./release/release_bundle.ts')).verify,
  },
  {
    name: 'release diff',
    args: '<BASELINE_ID> <CANDIDATE_ID>',
    summary: 'Compare two releases: cost, latency, errors, confidence, policy',
    options: [
      WINDOW,
      ENV,
      ...FILTERS,
      { flags: '--fail-on-policy', description: 'Exit 1 if the policy fails, after printing' },
      DETAILED,
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc release diff rel_0123456789ab rel_ba9876543210 --window 7d --env prod --fail-on-policy',
    load: async () => (await import('./release/diff.ts')).diff,
  },
  {
    name: 'release promote',
    args: '<RELEASE_ID>',
    summary: 'Promote a release if the policy passes; exit 1 if it blocks',
    options: DECIDE,
    example: 'svc release promote rel_0123456789ab --env prod --window 7d --reason "cheaper, same quality"',
    load: async () => (await import('./release/decisions.ts')).promote,
  },
  {
    name: 'release rollback',
    args: '<RELEASE_ID>',
    summary: 'Roll back to a release if the policy passes; exit 1 if it blocks',
    options: DECIDE,
    example: 'svc release rollback rel_0123456789ab --env prod --window 24h --reason "errors since noon"',
    load: async () => (await import('./release/decisions.ts')).rollback,
  },
  {
    name: 'release promoted',
    summary: 'What is live: release, version, since when, by whom, why; tab-separated but at a terminal',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
      { flags: '--env <ENV>', description: 'Only this environment' },
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc release promoted --agent support-bot --env prod',
    load: async () => (await import('./release/promoted.ts')).promoted,
  },
  {
    name: 'release promote-request',
    args: '<RELEASE_ID>',
    summary: 'Request a promotion for somebody to confirm; prints the request_id and the policy',
    options: [...DECISION, DETAILED, URL_OPTION],
    example: 'svc release promote-request rel_0123456789ab --env prod --window 7d --reason "ready"',
    load: async () => (await import('./release/decisions.ts')).promoteRequest,
  },
  {
    name: 'release requests',
    summary: 'List promotion requests, newest first; tab-separated but at a terminal',
    options: [
      { flags: '--status <STATUS>', description: 'Only these: pending, completed or cancelled' },
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc release requests --status pending',
    load: async () => (await import('./release/requests.ts')).requests,
  },
  {
    name: 'release promote-confirm',
    args: '<REQUEST_ID>',
    summary: 'Confirm a requested promotion',
    options: [
      {
        flags: '--approval-reason <TEXT>',
        description: 'Why it is approved',
        required: true,
        mayBeEmpty: true,
      },
      DETAILED,
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc release promote-confirm prq_0123456789ab --approval-reason "checked the diff"',
    load: async () => (await import('./release/decisions.ts')).promoteConfirm,
  },
  {
    name: 'release promote-cancel',
    args: '<REQUEST_ID>',
    summary: 'Cancel a pending promotion request',
    options: [{ flags: '--reason <TEXT>', description: 'Why', required: true, mayBeEmpty: true }, URL_OPTION],
    example: 'svc release promote-cancel prq_0123456789ab --reason "superseded"',
    load: async () => (await import('./release/decisions.ts')).promoteCancel,
  },
  {
    name: 'release history',
    summary: 'The audit trail, newest first',
    options: [
      { flags: '--agent <AGENT_ID>', description: 'Only this agent' },
      { flags: '--env <ENV>', description: 'Only this environment' },
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc release history --agent support-bot --env prod',
    load: async () => (await import('./release/history.ts')).history,
  },
  {
    name: 'pricing import',
    args: '<PATH>',
    summary: 'Import a price table (YAML)',
    options: [
      { flags: '--replace', description: 'Replace a table of the same provider and version' },
      {
        flags: '--reason <TEXT>',
        description: 'Why it is replaced; required with --replace',
        mayBeEmpty: true,
      },
      URL_OPTION,
    ],
    example: 'svc pricing import prices/openai.yaml --replace --reason "new list prices"',
    load: async () => (await import('./rules/pricing.ts')).importTable,
  },
  {
    name: 'pricing show',
    summary: 'Show a price table as JSON',
    options: [
      { flags: '--provider <P>', description: 'Provider of the table', required: true },
      { flags: '--version <V>', description: 'Version of the table', required: true },
      URL_OPTION,
    ],
    example: 'svc pricing show --provider openai --version svc-bundled-2026-08-21',
    load: async () => (await import('./rules/pricing.ts')).show,
  },
  {
    name: 'pricing check',
    summary: 'Say which bundled price tables are stale',
    options: [
      { flags: '--max-age-days <N>', description: 'Age from which a table is stale (default 90)' },
      { flags: '--fail', description: 'Exit 1 if one is stale' },
      URL_OPTION,
    ],
    example: 'svc pricing check --max-age-days 30 --fail',
    load: async () => (await import('./rules/pricing.ts')).check,
  },
  {
    name: 'policy set',
    args: '<PATH>',
    summary: 'Put a policy (YAML or JSON) in force',
    options: [URL_OPTION],
    example: 'svc policy set policy.yaml',
    load: async () => (await import('./rules/policy.ts')).set,
  },
  {
    name: 'policy show',
    summary: 'Show the policy in force, or the default, as JSON',
    options: [URL_OPTION],
    example: 'svc policy show',
    load: async () => (await import('./rules/policy.ts')).show,
  },
  {
    name: 'runs list',
    args: '<RELEASE_ID>',
    summary: "List a release's run events, newest first",
    options: [
      ...RUN_FILTERS,
      { flags: '--limit <N>', description: 'At most N (default 100, at most 500)' },
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc runs list rel_0123456789ab --window 24h --tenant acme',
    load: async () => (await import('./runs/runs.ts')).list,
  },
  {
    name: 'runs export',
    args: '<RELEASE_ID>',
    summary: "Export a release's run events as JSONL",
    options: [
      ...RUN_FILTERS,
      { flags: '--limit <N>', description: 'At most N (default and maximum 500)' },
      { flags: '-o, --out <FILE>', description: 'Write to this file instead of stdout' },
      URL_OPTION,
    ],
    example: 'svc runs export rel_0123456789ab --window 7d -o runs.jsonl',
    load: async () => (await import('./runs/runs.ts')).exportRuns,
  },
  {
    name: 'runs ingest',
    args: '<PATH>',
    summary: 'Ingest run events: JSONL or a JSON array; - reads stdin',
    options: [URL_OPTION],
    example: 'svc runs ingest events.jsonl',
    ownThread: true,
    load: async () => (await import('./runs/ingest.ts')).ingest,
  },
  {
    name: 'webhook add',
    summary: 'Add a webhook; prints its secret, this once (SERVICE_URL, not --url, names a remote service)',
    options: [
      { flags: '--url <URL>', description: 'Where to send to, http or https', required: true },
      {
        flags: '--event <EVENT>',
        description:
          'promote.succeeded, promote.blocked, promotion.requested or rollback.succeeded; say it again for more',
        required: true,
        many: true,
      },
      { flags: '--description <TEXT>', description: 'What it is for', mayBeEmpty: true },
    ],
    example:
      'svc webhook add --url https://hooks.example.com/releases --event promote.succeeded --event rollback.succeeded',
    load: async () => (await import('./webhook/webhook.ts')).add,
  },
  {
    name: 'webhook list',
    summary: 'List webhooks, tab-separated',
    options: [OUTPUT, URL_OPTION],
    example: 'svc webhook list',
    load: async () => (await import('./webhook/webhook.ts')).list,
  },
  {
    name: 'webhook remove',
    args: '<WEBHOOK_ID>',
    summary: 'Remove a webhook and its deliveries',
    options: [{ flags: '--yes', description: 'Do not ask' }, URL_OPTION],
    example: 'svc webhook remove whk_0123456789ab --yes',
    load: async () => (await import('./webhook/webhook.ts')).remove,
  },
  {
    name: 'webhook test',
    args: '<WEBHOOK_ID>',
    summary: 'Send a test.ping to a webhook; exit 1 if it does not arrive',
    options: [URL_OPTION],
    example: 'svc webhook test whk_0123456789ab',
    load: async () => (await import('./webhook/webhook.ts')).test,
  },
  {
    name: 'webhook deliveries',
    args: '[WEBHOOK_ID]',
    summary: 'List deliveries, newest first, tab-separated',
    options: [
      { flags: '--failed', description: 'Only those that were given up' },
      { flags: '--limit <N>', description: 'At most N (default 50, at most 500)' },
      OUTPUT,
      URL_OPTION,
    ],
    example: 'svc webhook deliveries --failed',
    load: async () => (await import('./webhook/deliveries.ts')).deliveries,
  },
  {
    name: 'webhook replay',
    args: '<DELIVERY_ID>',
    summary: 'Send a delivery again, under the same id',
    options: [URL_OPTION],
    example: 'svc webhook replay 01234567-89ab-8001-8000-ba9876543210',
    load: async () => (await import('./webhook/deliveries.ts')).replay,
  },
  {
    name: 'rollups rebuild',
    summary: 'Rebuild roll-ups and counters from the raw events',
    options: [URL_OPTION],
    example: 'svc rollups rebuild',
    load: async () => (await import('./workspace/doctor.ts')).rebuild,
  },
  {
    name: 'ledger copy',
    summary: 'Copy a ledger to another database, verify it; run again to go on',
    options: [
      { flags: '--from <DB>', description: 'The ledger: a SQLite file or postgres:// URL', required: true },
      { flags: '--to <DB>', description: 'An empty database, or an unfinished copy', required: true },
    ],
    example: 'svc ledger copy --from .service/service.db --to postgres://svc@db.example.com/ledger',
    load: async () => (await import('./workspace/copy.ts')).copy,
  },
  {
    name: 'completion',
    args: '<SHELL>',
    summary: 'Print a script that completes commands and options in bash, zsh or fish',
    example: 'source <(svc completion bash)',
    load: async () => (await import('./arguments/completion.ts')).completion,
  },
]
