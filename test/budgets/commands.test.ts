import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { benchEvent, benchRelease, fillEvents, servedLedger } from '../../bench/ledger.ts'
import { packed } from '../../bench/scenarios/startup.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { expectBudget } from './budget.ts'

/** Tells, when a process ends, which files and which modules of Node it has loaded. */
const REPORT = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify({
  files: Object.keys(require.cache), builtins: process.moduleLoadList.filter(name => name.startsWith('NativeModule')) })))`

test('a command loads what its budget says of the package and of Node', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-budgets-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const installed = packed(join(folder, 'package'))
  const [hook, loaded] = [join(folder, 'hook.cjs'), join(folder, 'loaded.json')]
  writeFileSync(hook, REPORT)
  const { services, close } = await servedLedger(folder)
  const [baseline, candidate] = [await benchRelease(services, '1'), await benchRelease(services, '2')]
  await fillEvents(services, [baseline, candidate], 0, 100, Date.now())
  await close()
  const event = { ...benchEvent(baseline, 1, Date.now()), run_id: 'one-more' }
  const files = {
    'service.yaml': 'default_environment: local\n',
    'policy.yaml': 'max_error_rate: 0.05\n',
    'release.yaml': RELEASE,
    'events.jsonl': `${JSON.stringify(event)}\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)

  const place = ['--env', 'local', '--window', '7d']
  const commands: Record<string, readonly string[]> = {
    '--version': [],
    status: [],
    doctor: [],
    'release list': [],
    'release validate': ['release.yaml'],
    'release register': ['release.yaml'],
    'release diff': [baseline, candidate, ...place],
    'release gate': [baseline, ...place],
    'release promote': [baseline, ...place, '--reason', 'first'],
    'release history': [],
    'runs ingest': ['events.jsonl'],
    'policy set': ['policy.yaml'],
  }
  // Its Node, and of the package only what an installation has.
  const node = join(ROOT_PATH, 'node_modules/.bin/node')
  const argvOf = (...argv: string[]) => ['--require', hook, join(installed, 'bin/svc.cjs'), ...argv]
  const env = { PATH: process.env.PATH, HOME: folder, USER: 'tester', LOADED: loaded }
  const countLoaded = (): Counts => {
    const { files: paths, builtins } = JSON.parse(readFileSync(loaded, 'utf8')) as Loaded
    const own = paths.filter(path => path.startsWith(installed))
    const bytes = own.reduce((sum, path) => sum + statSync(path).size, 0)
    return { modules: own.length, kB: Math.round(bytes / 1000), builtins: builtins.length }
  }
  const counts: Record<string, Counts> = {}
  for (const [name, options] of Object.entries(commands)) {
    const argv = argvOf(...name.split(' '), ...options)
    const { status, stdout, stderr } = spawnSync(node, argv, { cwd: folder, encoding: 'utf8', env })
    expect([name, status, status === 0 ? '' : stdout + stderr]).toEqual([name, 0, ''])
    counts[name] = countLoaded()
  }
  // It loads all handlers before it ends.
  const server = spawn(node, argvOf('serve', '--port', '0'), {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout, 'data')
  server.kill('SIGTERM')
  expect(await once(server, 'exit')).toEqual([0, null])
  counts.serve = countLoaded()
  await expectBudget('commands', { package: counts })
})

interface Counts extends Record<string, number> {
  readonly modules: number
  readonly kB: number
  readonly builtins: number
}

interface Loaded {
  readonly files: readonly string[]
  readonly builtins: readonly string[]
}

const RELEASE = `api_version: v1
kind: Release
metadata:
  name: bench 3
  version: "3"
spec:
  agent:
    agent_id: bench
  runtime:
    provider: acme
    model: small
  pricing_reference:
    provider: acme
    pricing_version: v1
`
