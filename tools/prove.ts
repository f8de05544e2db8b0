import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonOf } from '../src/base/text.ts'
import { CACHE } from './proofs/packages.ts'
import { PROGRAMS, TESTS } from './proofs/tests.ts'

const names = Object.keys({ ...TESTS, ...PROGRAMS })
const [name = '', ...options] = process.argv.slice(2)
if (name === 'all') process.exitCode = proveAll(options)
else if (names.includes(name)) process.exitCode = prove(name, options)
else {
  process.stderr.write(`npm run prove -- NAME, with NAME one of ${names.join(', ')}, or all\n`)
  process.exitCode = 1
}

/** Runs one proof. Returns its exit code. */
function prove(which: string, further: readonly string[] = []): number {
  const files = TESTS[which]
  const [command, args] =
    files === undefined
      ? [process.execPath, [PROGRAMS[which]!, ...further]]
      : ['vitest', ['run', ...files.split(' '), '--testTimeout', '3600000']]
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, PROVE: '1' } })
  return status ?? 1
}

/** What became of the proofs of a commit. */
type Results = Record<
  string,
  { readonly passed: boolean; readonly seconds: number; readonly ended_at: string }
>

/**
 * Runs all proofs, or those that are named, which may take days. What passed at this commit is not run again, so that one that was
 * stopped goes on where it was. Returns 1 where one fails.
 */
function proveAll(which: readonly string[]): number {
  const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim()
  if (git('status', '--porcelain') !== '') {
    process.stderr.write('Results are of a commit: commit what you changed, or put it away.\n')
    return 1
  }
  const unknown = which.filter(one => !names.includes(one))
  if (unknown.length > 0) {
    process.stderr.write(`There is no proof ${unknown.join(', ')}.\n`)
    return 1
  }
  const folder = join(CACHE, 'results')
  const file = join(folder, `${git('rev-parse', 'HEAD')}.json`)
  mkdirSync(folder, { recursive: true })
  const results = resultsIn(file)
  for (const one of which.length === 0 ? names : which) {
    if (results[one]?.passed === true) continue
    const began = performance.now()
    const passed = prove(one) === 0
    const seconds = Math.round((performance.now() - began) / 1000)
    results[one] = { passed, seconds, ended_at: new Date().toISOString() }
    writeFileSync(file, JSON.stringify(results, null, 2))
  }
  for (const [one, { passed, seconds }] of Object.entries(results)) {
    process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${one}  ${seconds} s\n`)
  }
  process.stdout.write(`${file}\n`)
  return Object.values(results).every(({ passed }) => passed) ? 0 : 1
}

function resultsIn(file: string): Results {
  try {
    return (jsonOf(readFileSync(file, 'utf8')) ?? {}) as Results
  } catch {
    return {}
  }
}
