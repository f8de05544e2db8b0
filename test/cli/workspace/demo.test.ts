import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeWorkspace, runSvc, spawnSvc } from '../../support/processes/cli.ts'
import { ROOT } from '../../../src/runtime/root.ts'

const QUICKSTART = fileURLToPath(new URL('examples/quickstart', ROOT))

test.concurrent('svc demo promotes a good release, blocks a bad one with its reasons, and proves it', async () => {
  const { processWith, folder } = makeWorkspace()
  const { code, stdout, stderr } = await processWith({ env: { TMPDIR: folder } }, 'demo')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const story = [
    /\$ svc init/,
    /\$ svc release register baseline --env prod\n {2}rel_\S+\n/,
    / {2}PROMOTED .*\n {4}- first promotion: no promoted baseline for agent\/environment\n/,
    /\$ svc runs ingest baseline-events.jsonl\n {2}\d+\n/,
    /confidence {2}enough runs \(confidence HIGH\)\n {2}policy {6}PASS\n/,
    / {2}PROMOTED {2}rel_\S+ {2}support-bot in prod \(1\.0\.0 → 1\.1\.0, was rel_/,
    /policy {6}BLOCK\n {4}- candidate cost_per_run_usd/,
    / {2}BLOCKED .*\n {4}- candidate cost_per_run_usd .* exceeds max 0.008000\n {4}- candidate latency_ms_avg .*\n {4}- candidate error_rate/,
    / {2}ROLLED BACK /,
    /\$ svc release history --env prod --header\n {2}\S.*\n {2}4\t/,
    /\$ svc release verify rel_\S+ --path candidate\n {2}ok [0-9a-f]{64}\n/,
    /\$ svc doctor\n {2}ok {4}schema_migrations/,
    /The good release went live, the bad one was blocked/,
    /Next:\n/,
  ]
  let at = 0
  for (const step of story) {
    const found = step.exec(stdout.slice(at))
    if (found === null) throw new Error(`the demo does not go on to ${step}: ${stdout.slice(at)}`)
    at += found.index + found[0].length
  }
  expect(stdout).not.toContain('\u001B')
  expect(readdirSync(folder).filter(name => name.startsWith('svc-'))).toEqual([])
})

test.concurrent('its flags leave steps out, and keep the workspace with a usable ledger', async () => {
  const { svc } = makeWorkspace()
  const { code, stdout } = await svc('demo', '--no-verify', '--no-doctor', '--keep-workspace')
  expect(code).toBe(0)
  expect(stdout).not.toContain('svc release verify')
  expect(stdout).not.toContain('svc doctor')
  expect(stdout).not.toContain('--keep-workspace')
  const kept = /The workspace is kept in (.+)\n$/.exec(stdout)?.[1] ?? ''
  try {
    expect(existsSync(`${kept}/service.yaml`)).toBe(true)
    const history = await runSvc(['release', 'history'], kept)
    expect(history.stdout.trim().split('\n')).toHaveLength(4)
    expect((await runSvc(['doctor', '--deep'], kept)).code).toBe(0)
    // A kept workspace is a quickstart folder again, with a service.yaml of its own.
    expect((await runSvc(['demo', '--quickstart-root', kept], kept)).code).toBe(0)
  } finally {
    if (kept !== '') rmSync(kept, { recursive: true })
  }
})

test.concurrent('the environment of the caller does not reach into the demo', async () => {
  const { svcWith } = makeWorkspace()
  const env = { SERVICE_URL: 'http://127.0.0.1:1', SERVICE_LOCAL_API_TOKEN: 'x', USER: 'ann' }
  const { code, stdout } = await svcWith({ env }, 'demo', '--verify', '--doctor')
  expect(code).toBe(0)
  expect(stdout).toContain('\tann\t')
})

test.concurrent('--quickstart-root says what a folder lacks', async () => {
  const { svc } = makeWorkspace()
  const { code, stdout, stderr } = await svc('demo', '--quickstart-root', 'nowhere')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^svc: \S*nowhere is no quickstart folder: it lacks prices.yaml .*\n$/)
})

test.concurrent('--quickstart-root takes bundles and a policy of one’s own', async () => {
  const { svc, write, path } = makeWorkspace()
  cpSync(QUICKSTART, path('mine'), { recursive: true })
  write('mine/policy.yaml', { max_latency_ms: 1 })
  const strict = await svc('demo', '--quickstart-root', 'mine')
  expect(strict.code).toBe(0)
  expect(strict.stdout).toContain('both releases were blocked')
  write('mine/policy.yaml', {})
  const lenient = await svc('demo', '--quickstart-root', 'mine', '--no-doctor')
  expect(lenient.stdout).toContain('the third release passed too')
  write('mine/prices.yaml', { provider: 'openai', pricing_version: 'list-2026-08-21', entries: [] })
  const broken = await svc('demo', '--quickstart-root', 'mine')
  expect(broken.code).toBe(1)
  expect(broken.stderr).toMatch(/^svc: the demo stopped: `svc release diff .*` ended with exit code 1.\n$/)
})

test.concurrent.each([
  { signal: 'SIGINT', code: 130, flags: [] },
  { signal: 'SIGTERM', code: 143, flags: [] },
  { signal: 'SIGINT', code: 130, flags: ['--serve'] },
] as const)(
  '$signal ends demo $flags before its end, and leaves nothing behind',
  async ({ signal, code, flags }) => {
    const { folder } = makeWorkspace()
    const child = spawnSvc(['demo', ...flags], { cwd: folder, env: { TMPDIR: folder } })
    const written = { stdout: text(child.stdout), stderr: text(child.stderr) }
    await once(child.stdout, 'data')
    expect(readdirSync(folder).some(name => name.startsWith('svc-demo-'))).toBe(true)
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([code, null])
    expect(await written.stderr).toContain('svc: the demo was stopped\n')
    expect(await written.stdout).not.toContain('Ctrl-C')
    expect(readdirSync(folder).filter(name => name.startsWith('svc-'))).toEqual([])
  },
)

test.concurrent('a second signal ends it at once, and leaves nothing behind', async () => {
  const { folder } = makeWorkspace()
  const child = spawnSvc(['demo', '--serve'], { cwd: folder, env: { TMPDIR: folder } })
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect([130, 143]).toContain((await once(child, 'close'))[0])
  expect(readdirSync(folder).filter(name => name.startsWith('svc-'))).toEqual([])
})

test.concurrent('--serve answers with a month of three agents, and removes it when it ends', async () => {
  const { folder } = makeWorkspace()
  const child = spawnSvc(['demo', '--serve'], { cwd: folder, env: { TMPDIR: folder } })
  const ended = once(child, 'close')
  let stdout = ''
  for await (const chunk of child.stdout) {
    stdout += String(chunk)
    if (stdout.includes('the board')) break
  }
  const url = /http:\S+\d/.exec(stdout)![0]
  const read = async (path: string): Promise<never> => (await (await fetch(url + path)).json()) as never
  const { board } = (await read('/v1/board')) as { board: Record<string, { version: string }>[] }
  expect(board.map(({ agent_id, promoted }) => [agent_id, promoted!.version])).toEqual([
    ['billing-agent', '1.4.0'],
    ['search-agent', '2.0.0'],
    ['support-bot', '1.2.0'],
  ])
  expect(board.map(({ pending_requests }) => pending_requests)).toEqual([1, 0, 0])
  const { rollouts } = (await read('/v1/rollouts')) as { rollouts: { state: string }[] }
  expect(rollouts.map(({ state }) => state)).toEqual(['running'])
  const { watches } = (await read('/v1/watches')) as { watches: unknown[] }
  expect(watches).toHaveLength(1)
  const { stdout: status } = await runSvc(['status'], folder, { env: { SERVICE_URL: url } })
  expect(status).toMatch(/support-bot in prod: 1\.2\.0 is live: error rate \d+\.\d % of \d+ runs in the last/)
  child.kill('SIGINT')
  expect((await ended)[0]).toBe(0)
  expect(readdirSync(folder).filter(name => name.startsWith('svc-'))).toEqual([])
})
