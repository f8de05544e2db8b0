import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { debianPackage, npmPackages, run } from '../proofs/packages.ts'

/** Records the JUnit reports of GoogleTest and Playwright: two cases fail in each, one is skipped. */
const FIXTURES = join(ROOT_PATH, 'test/fixtures/scores')
const PROGRAMS = join(ROOT_PATH, 'tools/captures/programs')
const PLAYWRIGHT = '@playwright/test@1.65.1'

const node = npmPackages('playwright', [PLAYWRIGHT])
const folder = mkdtempSync(join(tmpdir(), 'junit-'))
const google = debianPackage('libgtest-dev')
const [library, settings] = ['libgtest.a', 'pkgconfig/gtest.pc'].map(
  file => globSync(join(google, 'usr/lib/*', file))[0]!,
)
const main = library!.replace('gtest.a', 'gtest_main.a')
const program = join(folder, 'cases')
const source = join(PROGRAMS, 'evaluation_gtest.cc')
run('g++', ['-o', program, '-I', join(google, 'usr/include'), source, library!, main, '-pthread'], {
  cwd: folder,
})
report(program, [`--gtest_output=xml:${join(folder, 'gtest.xml')}`])
save('gtest.xml', readFileSync(join(folder, 'gtest.xml'), 'utf8'))

copyFileSync(join(PROGRAMS, 'evaluation_playwright.spec.js'), join(node, 'refunds.spec.js'))
const cli = join(node, 'node_modules/.bin/playwright')
save('playwright.xml', report(cli, ['test', '--reporter=junit', '--retries=1', 'refunds.spec.js'], node))

const file = join(FIXTURES, 'versions.json')
const versions = JSON.parse(readFileSync(file, 'utf8')) as object
const [, googletest] = /^Version: (.*)$/m.exec(readFileSync(settings!, 'utf8'))!
const all = { ...versions, googletest, '@playwright/test': PLAYWRIGHT.split('@').at(-1) }
writeFileSync(file, `${JSON.stringify(all, null, 1)}\n`)
rmSync(folder, { recursive: true })

/** Runs a tool whose cases fail in part, and returns what it prints. */
function report(command: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 1) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout
}

function save(name: string, text: string): void {
  const known = text
    .replaceAll(PROGRAMS, '/tests')
    .replaceAll(node, '/tests')
    .replaceAll(/hostname="[^"]*"/g, 'hostname="ci"')
  writeFileSync(join(FIXTURES, name), known)
  process.stdout.write(`${name}: ${known.length} bytes\n`)
}
