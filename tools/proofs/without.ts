import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { type Removal, readCode, removalOf } from '../house/removal.ts'
import { type Complaint, pruned } from './without/pruned.ts'

/**
 * Takes features out of a copy of the tree, one at a time, and proves that what is left makes its schemas, type-checks
 * and keeps the contract on SQLite: `npm run prove -- without NAME…`, or `all`.
 */
const FEATURES = readdirSync(join(ROOT_PATH, 'src/features'), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
const asked = process.argv.slice(2)
const names = asked.includes('all') ? FEATURES : asked
if (names.length === 0 || names.some(name => !FEATURES.includes(name))) {
  process.stderr.write(`npm run prove -- without NAME, with NAME all or one of ${FEATURES.join(', ')}\n`)
  process.exit(1)
}
const code = readCode()
let failed = 0
for (const name of names) {
  const problem = provenWithout(name, removalOf(name, code))
  process.stdout.write(`${name}: ${problem ?? 'can be taken out'}\n`)
  if (problem !== undefined) failed++
}
process.exit(failed === 0 ? 0 : 1)

/** What keeps the feature from being taken out. */
function provenWithout(name: string, removal: Removal): string | undefined {
  process.stdout.write(`${name}: ${removal.files.length} files, ${removal.lines.length} lines elsewhere\n`)
  const folder = mkdtempSync(join(tmpdir(), `without-${name}-`))
  try {
    copyTree(folder)
    take(removal, folder)
    for (const step of [generate, typecheck, contract]) {
      const startedAt = Date.now()
      const problem = step(folder)
      if (problem !== undefined) return problem
      process.stdout.write(`${name}: ${step.name} ${Math.round((Date.now() - startedAt) / 1000)} s\n`)
    }
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyTree(folder: string): void {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT_PATH,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const path of stdout.split('\0').filter(Boolean)) {
    cpSync(join(ROOT_PATH, path), join(folder, path), { recursive: true })
  }
  symlinkSync(join(ROOT_PATH, 'node_modules'), join(folder, 'node_modules'))
}

function take({ files, lines, listed }: Removal, folder: string): void {
  for (const path of files) rmSync(join(folder, path))
  const cut = Map.groupBy([...lines, ...listed], ({ path }) => path)
  for (const [path, gone] of cut) {
    const numbers = new Set(gone.map(({ line }) => line))
    const kept = readFileSync(join(folder, path), 'utf8')
      .split('\n')
      .filter((_, at) => !numbers.has(at + 1))
    writeFileSync(join(folder, path), kept.join('\n'))
  }
}

function run(folder: string, command: string, args: readonly string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: {
      ...process.env,
      NO_COLOR: '1',
      PATH: `${join(ROOT_PATH, 'node_modules/.bin')}:${process.env.PATH}`,
    },
  })
  return { ok: status === 0, output: stdout + stderr }
}

function generate(folder: string): string | undefined {
  const { ok, output } = run(folder, 'npm', ['run', 'generate'])
  return ok ? undefined : `does not generate\n${output.slice(-6000)}`
}

/** The product has to type-check as it is; tests and tools that name what is gone go with it, which is printed. */
function typecheck(folder: string): string | undefined {
  for (;;) {
    const { ok, output } = run(folder, 'tsc', [
      '--pretty',
      'false',
      '--incremental',
      '--tsBuildInfoFile',
      '.tsbuildinfo',
    ])
    if (ok) return undefined
    const complaints = [...output.matchAll(/^(.+)\((\d+),(\d+)\): error TS\d+: /gm)].map(
      ([, path, line, column]): Complaint => ({ path: path!, line: Number(line), column: Number(column) }),
    )
    const stuck = complaints.filter(({ path }) => !/^(?:test|tools|bench|src\/sdk)\//.test(path))
    if (stuck.length > 0 || complaints.length === 0) return `does not type-check\n${output.slice(0, 6000)}`
    for (const [path, all] of Map.groupBy(complaints, complaint => complaint.path)) {
      const text = readFileSync(join(folder, path), 'utf8')
      const { rest, taken } = pruned(path, text, all)
      for (const what of taken) process.stdout.write(`    ${path}: ${what}\n`)
      writeFileSync(join(folder, path), rest)
    }
  }
}

function contract(folder: string): string | undefined {
  const { ok, output } = run(folder, 'vitest', ['run', 'runners/node_sqlite', '--reporter', 'dot'])
  return ok ? undefined : `does not keep the contract\n${output.slice(-20_000)}`
}
