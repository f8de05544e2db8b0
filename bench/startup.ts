import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { type Scenario, median } from './harness.ts'

const SVC = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url))

/** Start-up of commands from a checkout, as a multiple of the start-up of Node itself. */
export const startupScenario: Scenario = {
  name: 'startup',
  about: 'wall time of a command from a checkout, warm cache, against node -e 0',
  run: async ({ quick }, report) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    try {
      writeFileSync(join(folder, 'service.yaml'), 'default_environment: prod\n')
      const commands = {
        'node -e 0': ['-e', '0'],
        'svc --version': [SVC, '--version'],
        'svc release list': [SVC, 'release', 'list'],
      }
      const times: Record<string, number[]> = Object.fromEntries(
        Object.keys(commands).map(name => [name, []]),
      )
      // In turn, so that a change of the machine's speed meets all of them.
      for (let round = 0; round < (quick ? 2 : 21); round++) {
        for (const [name, argv] of Object.entries(commands)) times[name]!.push(spawnTime(argv, folder))
      }
      const bare = median(times['node -e 0']!)
      report({ scenario: 'startup', what: 'node -e 0', value: bare, unit: 'ms' })
      for (const [name, atMost] of [
        ['svc --version', 2],
        ['svc release list', 4],
      ] as const) {
        const value = median(times[name]!) / bare
        report({ scenario: 'startup', what: `${name} / node -e 0`, value, unit: 'x', target: { atMost } })
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function spawnTime(argv: readonly string[], cwd: string): number {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - startedAt
}
