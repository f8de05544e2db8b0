import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const README = readFileSync(join(ROOT_PATH, 'README.md'), 'utf8')

const [TOUR, REQUEST] = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code!)

/** A clone as far as the tour needs it, and what runs a script in it. */
function readersClone(): { tour: string; run: (script: string) => SpawnSyncReturns<string> } {
  const [folder, bin] = [temporaryFolder(), temporaryFolder()]
  const clone = join(folder, 'clone')
  cpSync(join(ROOT_PATH, 'examples/quickstart'), join(clone, 'examples/quickstart'), { recursive: true })
  const program = join(bin, 'svc')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT_PATH, 'bin/svc.cjs')}" "$@"\n`)
  // What `npm link` does is there already; any other use of npm is a mistake.
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n[ "$*" = link ]\n')
  for (const name of ['svc', 'npm']) chmodSync(join(bin, name), 0o755)
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, USER: 'reader' }
  return {
    tour: join(folder, 'svc-tour'),
    run: script =>
      spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: clone, encoding: 'utf8', env }),
  }
}

test('the tour of the README runs as it stands', () => {
  const { status, stdout, stderr } = readersClone().run(TOUR!)
  expect(stderr).not.toContain('svc: internal')
  expect(status, stderr).toBe(0)
  expect(stdout).toContain('PROMOTED')
  expect(stdout).toMatch(/^support-bot\tprod\trel_\w+\t.*\treader\tact_\w+\tfirst release$/m)
  expect(stdout).toContain('blocked: no runs yet')
})

test('README and a package that was not built name the same line that installs', () => {
  const manifest = join(ROOT_PATH, 'package.json')
  const { install } = (JSON.parse(readFileSync(manifest, 'utf8')) as { config: { install: string } }).config
  expect(README).toContain(`\`${install}\``)
  const folder = temporaryFolder()
  cpSync(join(ROOT_PATH, 'bin'), join(folder, 'bin'), { recursive: true })
  cpSync(manifest, join(folder, 'package.json'))
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/svc.cjs')], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr.trimEnd().endsWith(`makes: ${install}`), stderr).toBe(true)
})

const hasCurl = spawnSync('curl', ['--version']).status === 0

test.skipIf(!hasCurl)('the request behind it is counted for the release of the tour', async () => {
  const { tour, run } = readersClone()
  const toured = run(`${TOUR}\nprintf '%s' "$BASELINE" > baseline-id`)
  expect(toured.status, toured.stderr).toBe(0)
  const service = await startService({ ...makeWorkspace(), folder: tour })
  const set = 'BASELINE=$(cat ../svc-tour/baseline-id)'
  const posted = run(`${set}\n${REQUEST!.replace('localhost:8765', service.url)}`)
  expect(JSON.parse(posted.stdout)).toEqual({ inserted: 1 })
  const listed = run(`${set}\ncd ../svc-tour && svc runs list $BASELINE --env prod --window 5m`)
  await service.stop()
  expect(listed.stdout).toMatch(/run-1 +acme +returns +ok +840 ms/)
})

test('the README has exactly two commands for a fresh machine, and they are there', () => {
  const { scripts, bin } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
    bin: Record<string, string>
  }
  const commands = README.match(/^ {4}npm ci && .*/gm)!.map(line => line.replace(/\s+#.*/, '').trim())
  expect(commands).toEqual(['npm ci && npx svc demo', 'npm ci && npm test'])
  expect(scripts.test).toBe('vitest run')
  expect(bin.svc).toBe('bin/svc.cjs')
})

test('npx finds the program of a checkout that it linked under the name of before', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT_PATH, 'bin/svc.mjs'), '--version'], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})
