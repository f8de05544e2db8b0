import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { LIMIT, OUTPUT, RUN_FILTERS, TARGET } from '../../cli/arguments/options.ts'

/** `svc runs …` */
export const RUNS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'runs list',
    args: '<RELEASE_ID>',
    summary: "List a release's run events, newest first",
    options: [
      ...RUN_FILTERS,
      { ...LIMIT, description: 'At most N (default 100, at most 500)' },
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
    options: [OUTPUT, ...TARGET],
    example: 'svc runs ingest events.jsonl',
    ownThread: ([path = '-'], folder) => path === '-' || !isShort(resolve(folder, path)),
    load: async () => (await import('../../cli/runs/ingest.ts')).ingest,
  },
]

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
