import { spawnSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT, ROOT_PATH } from '../../../src/runtime/root.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'

const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))

/** The program alone, as a package has it, or in a checkout in which nothing is installed. */
function programIn(kind: 'checkout' | 'package'): string {
  const folder = temporaryFolder()
  const files = kind === 'checkout' ? ['bin/svc.cjs', 'src/entry/main.ts'] : ['bin/svc.cjs']
  for (const file of files) cpSync(join(ROOT_PATH, file), join(folder, file))
  return join(folder, 'bin/svc.cjs')
}

function refusal(version: string, mend: string): object {
  return {
    status: 1,
    stdout: '',
    stderr: `svc needs Node 22.18 or newer; this is ${version}. ${mend}\n`,
  }
}

function run(node: string, ...args: string[]): object {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test.each(['18.20.0', '20.20.2', '22.17.1'])(
  'Node %s is refused in one line, with what mends it',
  version => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
    const as = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
    expect(run(process.execPath, ...as, programIn('package'), 'release', 'list')).toEqual(
      refusal(version, 'Install a newer Node.'),
    )
    expect(run(process.execPath, ...as, programIn('checkout'), 'release', 'list')).toEqual(
      refusal(version, 'Run `npm ci` here, which brings one.'),
    )
  },
)

test('in a checkout the Node that npm brought takes over from one that is too old, and ends as it ends', () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
  const as = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  expect(run(process.execPath, ...as, PROGRAM, '--version')).toMatchObject({ status: 0, stderr: '' })
  expect(run(process.execPath, ...as, PROGRAM, 'frobnicate')).toMatchObject({ status: 1 })
})

/** A Node on this machine that is really too old: the whole program has to be something it can read. */
const old = process.env
  .PATH!.split(delimiter)
  .map(folder => join(folder, 'node'))
  .filter(file => existsSync(file))
  .map(file => ({
    file,
    version: spawnSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
  }))
  .find(({ version }) => /^(?:18|20)\./.test(version))

test.skipIf(old === undefined)('a Node that is too old can read as much', () => {
  expect(run(old!.file, programIn('package'), 'release', 'list')).toEqual(
    refusal(old!.version, 'Install a newer Node.'),
  )
  expect(run(old!.file, PROGRAM, '--version')).toMatchObject({ status: 0, stderr: '' })
})
