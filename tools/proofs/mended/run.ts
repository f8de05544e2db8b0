import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { type Mend, undone } from './mend.ts'
import { MENDS } from './mends.ts'

/** What a copy of the tree leaves out; node_modules is linked instead. */
const LEFT_OUT = new Set(['.git', 'node_modules'])

/** Undoes each mend in a copy of the tree and expects its test to fail, after it passed with the mend. */
const only = process.argv[2]
const mends = MENDS.filter(({ item }) => only === undefined || item === only)
if (mends.length === 0) throw new Error(`no mend has the item ${only}`)
const copy = mkdtempSync(join(tmpdir(), 'svc-mended-'))
try {
  cpSync(ROOT_PATH, copy, { recursive: true, filter: path => !LEFT_OUT.has(basename(path)) })
  symlinkSync(join(ROOT_PATH, 'node_modules'), join(copy, 'node_modules'))
  const failures = mends.filter(mend => !isGuarded(mend))
  process.stdout.write(
    `${mends.length - failures.length} of ${mends.length} mends have a test that fails without them\n`,
  )
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function isGuarded(mend: Mend): boolean {
  const { item, defect, test, undo } = mend
  const withMend = outcomeOf(mend)
  for (const edit of undo) {
    const path = join(copy, edit.file)
    writeFileSync(path, undone(readFileSync(path, 'utf8'), edit))
  }
  const without = outcomeOf(mend)
  for (const { file } of undo) cpSync(join(ROOT_PATH, file), join(copy, file))
  const isGood = withMend === 'passed' && without === 'failed'
  const line = `${isGood ? 'ok ' : 'BAD'} ${item.padEnd(4)} ${defect} (${test.file}, "${test.name}"`
  process.stdout.write(`${line}${isGood ? '' : `; with the mend it ${withMend}, without it ${without}`})\n`)
  return isGood
}

/** Whether the mend's test passes in the copy as it is. A name that no test has counts as neither. */
function outcomeOf({ test }: Mend): 'passed' | 'failed' | 'did not run' {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const args = ['run', test.file, '-t', test.name]
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  spawnSync(process.execPath, [vitest, ...args, '--reporter', 'json', '--outputFile', report], { cwd: copy })
  if (!existsSync(report)) return 'did not run'
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(
    readFileSync(report, 'utf8'),
  ) as Record<string, number>
  if (numFailedTests! + numFailedTestSuites! > 0) return 'failed'
  return numPassedTests! > 0 ? 'passed' : 'did not run'
}
