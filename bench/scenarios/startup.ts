import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Scenario, median } from '../harness.ts'
import { benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** Start-up of commands of the packed build, as a multiple of the start-up of Node itself. */
export const startupScenario: Scenario = {
  name: 'startup',
  about: 'wall time of a command of the packed build, warm cache, against node -e 0',
  run: async ({ quick }, report) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    try {
      const svc = join(packed(join(folder, 'package')), 'bin/svc.cjs')
      const releases = await ledgerWithReleases(folder)
      const commands: Record<string, readonly [argv: readonly string[], atMost?: number]> = {
        'node -e 0': [['-e', '0']],
        'svc --version': [[svc, '--version'], 1.5],
        'svc release list': [[svc, 'release', 'list'], 2.2],
        'svc release diff': [[svc, 'release', 'diff', ...releases, '--env', 'local', '--window', '7d'], 6],
        'svc policy set': [[svc, 'policy', 'set', 'policy.yaml'], 2.8],
      }
      const times: Record<string, number[]> = {}
      for (const [argv] of Object.values(commands)) spawnTime(argv, folder)
      // In turn, so that a change of the machine's speed meets all of them.
      for (let round = 0; round < (quick ? 1 : 21); round++) {
        for (const [name, [argv]] of Object.entries(commands)) {
          ;(times[name] ??= []).push(spawnTime(argv, folder))
        }
      }
      const bare = median(times['node -e 0']!)
      report({ scenario: 'startup', what: 'node -e 0', value: bare, unit: 'ms' })
      for (const [name, [, atMost]] of Object.entries(commands)) {
        if (atMost === undefined) continue
        const value = median(times[name]!) / bare
        report({ scenario: 'startup', what: `${name} / node -e 0`, value, unit: 'x', target: { atMost } })
      }
      const starts: ServerStart[] = []
      for (let round = 0; round < (quick ? 1 : 7); round++)
        starts.push(await startServer(svc, folder, quick ? 0 : IDLE_MS))
      const readyMs = median(starts.map(start => start.readyMs))
      report({
        scenario: 'startup',
        what: 'svc serve, ready',
        value: readyMs,
        unit: 'ms',
        target: { atMost: 300 },
      })
      const idleMb = median(starts.map(start => start.idleMb))
      report({
        scenario: 'startup',
        what: 'svc serve, idle',
        value: idleMb,
        unit: 'MB',
        target: { atMost: 90 },
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** The command line as it is installed: built from a copy of the sources, which it then does without. */
export function packed(folder: string): string {
  for (const part of [
    'bin',
    'src',
    'handlers',
    'tools',
    'migrations',
    'package.json',
    'tsconfig.json',
    'tsconfig.sdk.json',
  ]) {
    cpSync(join(ROOT_PATH, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(ROOT_PATH, 'node_modules'), join(folder, 'node_modules'))
  const { status, stderr } = spawnSync(process.execPath, ['tools/package.ts', 'cli'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  for (const part of ['src', 'handlers', 'tools']) rmSync(join(folder, part), { recursive: true })
  return folder
}

async function ledgerWithReleases(folder: string): Promise<readonly [string, string]> {
  writeFileSync(join(folder, 'service.yaml'), 'default_environment: local\n')
  writeFileSync(join(folder, 'policy.yaml'), 'max_error_rate: 0.05\n')
  const { services, close } = await servedLedger(folder)
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
  await fillEvents(services, releases, 0, 1000, Date.now())
  await close()
  return releases
}

/** When a server that has just started is idle: its first upkeep is over. */
const IDLE_MS = 8000

interface ServerStart {
  /** Until `/ready` answered 200. */
  readonly readyMs: number
  /** Resident memory behind that, after so long without a request. */
  readonly idleMb: number
}

async function startServer(svc: string, cwd: string, idleMs: number): Promise<ServerStart> {
  const startedAt = performance.now()
  const server = spawn(process.execPath, [svc, 'serve', '--port', '0', '--log', 'off'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const { status } = await fetch(`${/http:\S+/.exec(line.toString())![0]}/ready`)
    if (status !== 200) throw new Error(`/ready answered ${status}`)
    const readyMs = performance.now() - startedAt
    await setTimeout(idleMs)
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' })
    return { readyMs, idleMb: Number(stdout) / 1024 }
  } finally {
    server.kill('SIGKILL')
  }
}

function spawnTime(argv: readonly string[], cwd: string): number {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - startedAt
}
