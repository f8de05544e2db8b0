import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/ledger.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

test('the tour of the README runs as it stands', () => {
  const [, tour] = /```sh\n([\s\S]*?)```/.exec(README)!
  const folder = temporaryFolder()
  cpSync(join(ROOT, 'examples/quickstart'), folder, { recursive: true })
  const program = join(folder, 'svc')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/svc.mjs')}" "$@"\n`)
  chmodSync(program, 0o755)
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', tour!], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, USER: 'reader' },
  })
  expect(stderr).not.toContain('svc: internal')
  expect(status, stderr).toBe(0)
  expect(stdout).toContain('PROMOTED')
  expect(stdout).toContain('blocked: no runs yet')
})

test('the README has exactly two commands for a fresh machine, and they are there', () => {
  const { scripts, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
    bin: Record<string, string>
  }
  const commands = README.match(/^ {4}npm ci && .*/gm)!.map(line => line.replace(/\s+#.*/, '').trim())
  expect(commands).toEqual(['npm ci && npx svc demo', 'npm ci && npm test'])
  expect(scripts.test).toBe('vitest run')
  expect(bin.svc).toBe('bin/svc.mjs')
})
