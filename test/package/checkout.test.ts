import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { copyCheckout } from '../support/processes/package.ts'

/** A checkout runs what is built of it only while that is what its sources say. */

let checkout: string
/** The list of sources that the build wrote, and what it names. */
let list: string
let paths: string[]

beforeAll(() => {
  checkout = copyCheckout()
  const { status, stderr } = spawnSync(process.execPath, ['tools/package.ts'], {
    cwd: checkout,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
  // Shows which of the two ran.
  appendFileSync(join(checkout, 'dist/cli/main.cjs'), ";process.stderr.write('built')")
  list = join(checkout, 'dist/cli/sources.json')
  paths = (JSON.parse(readFileSync(list, 'utf8')) as [path: string][]).map(([path]) => path)
})

/** As after another build. */
afterEach(() => {
  const entries = paths.map(path => {
    const { size, ctimeMs } = statSync(join(checkout, path))
    return [path, size, ctimeMs]
  })
  writeFileSync(list, JSON.stringify(entries))
})

function ranWhat(): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(checkout, 'bin/svc.cjs'), '--version'],
    {
      encoding: 'utf8',
    },
  )
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d/) })
  return stderr === 'built' ? 'dist' : 'src'
}

test('a checkout runs what was built of it, until a source is edited', () => {
  expect(ranWhat()).toBe('dist')
  appendFileSync(join(checkout, 'handlers/decisions/promote.ts'), '\n')
  expect(ranWhat()).toBe('src')
})

test('a writing that leaves size and date as they were counts too', () => {
  expect(ranWhat()).toBe('dist')
  const file = join(checkout, 'src/rules/policy.ts')
  const { atime, mtime } = statSync(file)
  writeFileSync(file, readFileSync(file))
  utimesSync(file, atime, mtime)
  expect(ranWhat()).toBe('src')
})

test('a list that is not whole is not believed', () => {
  expect(ranWhat()).toBe('dist')
  writeFileSync(list, readFileSync(list, 'utf8').slice(0, 200))
  expect(ranWhat()).toBe('src')
})
