import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT } from '../../../src/runtime/root.ts'

const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))
const refusal = (version: string): object => ({
  status: 1,
  stdout: '',
  stderr: `svc needs Node 22.18 or newer; this is ${version}. In a checkout use \`npx svc\`, which brings its own Node.\n`,
})

function run(node: string, ...args: string[]): object {
  const { status, stdout, stderr } = spawnSync(node, [...args, PROGRAM, 'release', 'list'], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test.each(['18.20.0', '20.20.2', '22.17.1'])('Node %s is told what it takes, in one line', version => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  expect(run(process.execPath, '--import', `data:text/javascript,${encodeURIComponent(pretend)}`)).toEqual(
    refusal(version),
  )
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
  expect(run(old!.file)).toEqual(refusal(old!.version))
})
