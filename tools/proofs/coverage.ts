import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { roomOf } from '../house/rooms.ts'

/** Kinds of tests that run the sources in their own process. */
const TESTS = ['unit', 'conformance', 'server', 'cli'].map(kind => `test/${kind}/`)

interface Count {
  readonly total: number
  readonly covered: number
}
type Summary = Readonly<Record<string, { readonly lines: Count; readonly branches: Count }>>

/** Lines and branches that these tests reach, a row per room. What only other processes run, or a browser, counts as not reached. */
const folder = mkdtempSync(join(tmpdir(), 'svc-coverage-'))
try {
  const coverage = ['--coverage.enabled', `--coverage.reportsDirectory=${folder}`]
  const { status } = spawnSync('vitest', ['run', ...TESTS, ...coverage, '--reporter', 'dot'], {
    cwd: ROOT_PATH,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PROVE: undefined },
  })
  const summary = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8')) as Summary
  for (const line of tableOf(summary)) process.stdout.write(`${line}\n`)
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function tableOf({ total, ...files }: Summary): string[] {
  const rooms = Map.groupBy(Object.entries(files), ([path]) => roomOf(relative(ROOT_PATH, path)) ?? 'none')
  const rows = [...rooms]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([room, found]) => {
      const of = (what: 'lines' | 'branches'): string => shareOf(found.map(([, counts]) => counts[what]))
      return `| ${room} | ${of('lines')} | ${of('branches')} |`
    })
  const all = `| all | ${shareOf([total!.lines])} | ${shareOf([total!.branches])} |`
  return ['| room | lines | branches |', '| --- | ---: | ---: |', ...rows, all]
}

function shareOf(counts: readonly Count[]): string {
  const sum = (what: keyof Count): number => counts.reduce((all, count) => all + count[what], 0)
  const total = sum('total')
  return total === 0
    ? '–'
    : `${((100 * sum('covered')) / total).toFixed(1)} % of ${total.toLocaleString('en')}`
}
