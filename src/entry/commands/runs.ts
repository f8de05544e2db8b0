import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { TARGET, RUN_FILTERS, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { commands, whole } from '../../cli/arguments/records.ts'
/** `svc runs …` */
export const COMMANDS = commands({
  'runs list <RELEASE_ID>': {
    summary: "List a release's run events, newest first",
    options: { ...RUN_FILTERS, '--limit <N>': whole('At most N (default 100, at most 500)'), ...LISTED },
    example: 'svc runs list rel_0123456789ab --window 24h --tenant acme',
    load: async () => (await import('../../cli/runs/runs.ts')).list,
  },
  'runs export <RELEASE_ID>': {
    summary: "Export a release's run events as JSONL",
    options: {
      ...RUN_FILTERS,
      '--limit <N>': whole('At most N (default and maximum 500)'),
      '-o, --out <FILE>': 'Write to this file instead of stdout',
      ...TARGET,
    },
    example: 'svc runs export rel_0123456789ab --window 7d -o runs.jsonl',
    load: async () => (await import('../../cli/runs/runs.ts')).exportRuns,
  },
  'runs ingest <PATH>': {
    summary: 'Ingest run events: JSONL or a JSON array; - reads stdin',
    task: 'Register releases and send runs',
    options: {
      '--restored': 'PATH is a file of `svc runs prune`: restore it, on the machine of the ledger',
      ...ANSWER,
    },
    example: 'svc runs ingest events.jsonl',
    ownThread: ([path = '-'], folder) => path === '-' || !isShort(resolve(folder, path)),
    run: async invocation =>
      invocation.options.given('restored')
        ? (await import('../../features/retention/cli_runs.ts')).restore(invocation)
        : (await import('../../cli/runs/ingest.ts')).ingest(invocation),
  },
})

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
