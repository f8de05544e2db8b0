import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client/sqlite3'
import { main } from '../../../src/entry/main.ts'
import type { Io } from '../../../src/cli/terminal/io.ts'
import { type EventOptions, PRICES, eventOf, releaseOf } from '../services/builders.ts'
import { ROOT } from '../../../src/runtime/root.ts'
import { atEndOfFile } from '../file_end.ts'
import { recordCommand } from '../corpus.ts'
import { shared } from '../shared.ts'

const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))

/** How a command ended. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** Bytes for stdin, which is empty otherwise. */
  readonly input?: string | Uint8Array
}

/** Runs `svc` as a process of its own: for tests of exit codes, pipes, signals, files of a process and start-up. */
async function runProcess(args: readonly string[], { cwd, env, input = '' }: RunOptions): Promise<Ran> {
  const child = spawnSvc(args, env === undefined ? { cwd } : { cwd, env })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  // A command that fails early doesn't read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  const ran = { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
  recordCommand(args, { env }, ran)
  return ran
}

/** Runs `svc` in this process, which takes a tenth of the time of one of its own. */
export async function runSvc(
  args: readonly string[],
  cwd: string,
  { env, ...more }: Partial<Io> = {},
): Promise<Ran> {
  let [stdout, stderr] = ['', '']
  const code = await main(args, '0.0.0-test', {
    cwd,
    env: { ...CLEAN_ENVIRONMENT, ...env },
    stdin: Readable.from([]),
    out: text => void (stdout += text),
    err: text => void (stderr += text),
    outIsTty: false,
    errIsTty: false,
    outColumns: undefined,
    ...more,
  })
  recordCommand(args, { env, columns: more.outColumns }, { code, stdout, stderr })
  return { code, stdout, stderr }
}

/** What a command that has to succeed prints at a terminal of so many columns, without colours. */
export async function atTerminal(columns: number, cwd: string, ...args: string[]): Promise<string> {
  const terminal = { env: { NO_COLOR: '1' }, outIsTty: true, outColumns: columns }
  const { code, stdout, stderr } = await runSvc(args, cwd, terminal)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

/** Starts `svc`; for what is to be done to it while it runs. */
export function spawnSvc(
  args: readonly string[],
  { cwd, env = {}, uid, through = [] }: Pick<RunOptions, 'cwd' | 'env'> & Spawned,
): ChildProcessWithoutNullStreams {
  const [file, ...rest] = [...through, process.execPath, PROGRAM, ...args]
  return spawn(file!, rest, {
    cwd,
    env: { ...CLEAN_ENVIRONMENT, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}

/** As whom, and by what command, a process is started that has to be another's. */
interface Spawned {
  readonly uid?: number
  /** Becomes the process that its last arguments name. */
  readonly through?: readonly string[]
}

/** Where commands keep profiles, in place of the home of whoever runs the tests. */
const CONFIG_HOME = join(tmpdir(), `svc-config-${process.pid}`)

/** Nothing of the machine that a command would listen to. */
const CLEAN_ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:SERVICE_.*|USER|USERNAME|NO_COLOR|FORCE_COLOR|NODE_OPTIONS)$/.test(name),
    ),
  ),
  USER: 'tester',
  XDG_CONFIG_HOME: CONFIG_HOME,
}

/** A folder with a workspace in it, gone when the test file is over. */
export interface Workspace {
  readonly folder: string
  readonly path: (name: string) => string
  /** Writes a file, with the folders above it; a value that isn't text is written as JSON, which is YAML too. */
  readonly write: (name: string, content: unknown) => string
  readonly read: (name: string) => string
  readonly has: (name: string) => boolean
  /** Runs `svc` in the folder, in this process. */
  readonly svc: (...args: string[]) => Promise<Ran>
  readonly svcWith: (options: Omit<RunOptions, 'cwd'>, ...args: string[]) => Promise<Ran>
  /** Runs it as a process of its own: see {@link runProcess}. */
  readonly process: (...args: string[]) => Promise<Ran>
  readonly processWith: (options: Omit<RunOptions, 'cwd'>, ...args: string[]) => Promise<Ran>
  /** Runs a command that has to succeed; returns its trimmed stdout. For set-up. */
  readonly ok: (...args: string[]) => Promise<string>
}

const folders: string[] = []
const children = new Set<ChildProcessWithoutNullStreams>()
atEndOfFile(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const folder of [...folders.splice(0), CONFIG_HOME])
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** A new workspace; `config` is its service.yaml, and without one there is none. */
export function makeWorkspace(config?: unknown): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  folders.push(folder)
  const path = (name: string): string => join(folder, name)
  const workspace: Workspace = {
    folder,
    path,
    write: (name, content) => {
      const isRaw = typeof content === 'string' || content instanceof Uint8Array
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), isRaw ? content : JSON.stringify(content))
      return name
    },
    read: name => readFileSync(path(name), 'utf8'),
    has: name => existsSync(path(name)),
    svc: (...args) => runSvc(args, folder),
    svcWith: ({ env = {}, input = '' }, ...args) =>
      runSvc(args, folder, { env, stdin: Readable.from([Buffer.from(input)]) }),
    process: (...args) => runProcess(args, { cwd: folder }),
    processWith: (options, ...args) => runProcess(args, { cwd: folder, ...options }),
    ok: async (...args) => {
      const { code, stdout, stderr } = await workspace.svc(...args)
      if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.trimEnd()
    },
  }
  if (config !== undefined) workspace.write('service.yaml', config)
  return workspace
}

/** A workspace with the same files; nothing may have the ledger of the first one open. */
export function copyOf({ folder }: Workspace): Workspace {
  const copy = makeWorkspace()
  cpSync(folder, copy.folder, { recursive: true })
  return copy
}

/** A named pipe in a workspace; Node can't make one. */
export function makePipe({ path }: Workspace, name: string): string {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path(name)])
  return name
}

/** Thresholds that a handful of events reach. */
export const SMALL_SAMPLES = { diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 5 } }

/** Writes events as JSONL, by default a second apart, the newest a minute ago. Their run ids are `<name>-<number>`. */
export function writeEvents(
  workspace: Workspace,
  name: string,
  count: number,
  { every_ms = 1000, ...options }: Omit<EventOptions, 'run_id' | 'at'> & { readonly every_ms?: number },
): string {
  const newest = Date.now() - 60_000
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify(eventOf({ ...options, run_id: `${name}-${index}`, at: newest - index * every_ms })),
  )
  return workspace.write(name, `${lines.join('\n')}\n`)
}

/** A workspace with prices and two releases of one agent: the candidate is dearer, and twice as fast. */
export async function twoReleases(config: unknown = SMALL_SAMPLES, events = 10) {
  const workspace = makeWorkspace(config)
  // Copied, since all migrations take as long as the commands here together.
  if (!/"(?:db_path|database_url)"/.test(JSON.stringify(config))) {
    mkdirSync(workspace.path('.service'), { mode: 0o700 })
    writeFileSync(workspace.path('.service/service.db'), readFileSync((await shared('emptyLedger')).file), {
      mode: 0o600,
    })
  }
  workspace.write('prices.yaml', PRICES)
  workspace.write('baseline/release.yaml', releaseOf({ version: '1' }))
  workspace.write('candidate/release.yaml', releaseOf({ version: '2', model: 'm2' }))
  await workspace.ok('pricing', 'import', 'prices.yaml')
  const baseline = await workspace.ok('release', 'register', 'baseline')
  const candidate = await workspace.ok('release', 'register', 'candidate')
  if (events > 0) {
    writeEvents(workspace, 'baseline.jsonl', events, { release_id: baseline, latency: 100 })
    writeEvents(workspace, 'candidate.jsonl', events, { release_id: candidate, latency: 50, model: 'm2' })
    await workspace.ok('runs', 'ingest', 'baseline.jsonl')
    await workspace.ok('runs', 'ingest', 'candidate.jsonl')
  }
  return { workspace, baseline, candidate }
}

/** `svc serve` of a workspace, up and listening. */
export interface RunningService {
  readonly url: string
  readonly firstLine: string
  /** The line of stdout that comes next. */
  nextLine(): Promise<string>
  stderr(): string
  readonly pid: number
  /** Sends a signal and returns how the process ended. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export async function startService(
  workspace: Workspace,
  { env, args = [], ...spawned }: { env?: Record<string, string>; args?: string[] } & Spawned = {},
): Promise<RunningService> {
  const log = args.includes('--log') ? [] : ['--log', 'off']
  const child = spawnSvc(['serve', '--port', '0', ...log, ...args], {
    cwd: workspace.folder,
    ...spawned,
    ...(env === undefined ? {} : { env }),
  })
  children.add(child)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const output = createInterface({ input: child.stdout })
  const firstLine = await Promise.race([
    once(output, 'line').then(([line]) => line as string),
    closed.then(() => Promise.reject(new Error(`svc serve ended: ${stderr}`))),
  ])
  return {
    url: /https?:\S+/.exec(firstLine)?.[0] ?? '',
    firstLine,
    stderr: () => stderr,
    pid: child.pid!,
    nextLine: async () => String((await once(output, 'line'))[0]),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [code, by] = await closed
      children.delete(child)
      return { code, signal: by }
    },
  }
}

/** The ledger of a workspace as a plain database, for what no command would do to it. */
export async function withDatabase<T>(
  workspace: Workspace,
  use: (client: Client) => Promise<T>,
  file = '.service/service.db',
): Promise<T> {
  const client = createClient({ url: pathToFileURL(workspace.path(file)).href, concurrency: 1 })
  try {
    return await use(client)
  } finally {
    client.close()
  }
}
