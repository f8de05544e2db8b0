import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
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

function spawnTime(argv: readonly string[], cwd: string): number {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - startedAt
}
