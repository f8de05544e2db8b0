import { expect } from 'vitest'
import { PRICES, releaseOf } from '../services/builders.ts'
import { type Ran, type Workspace, writeEvents } from './cli.ts'

/**
 * The whole loop by commands that go over HTTP to the service at `url`, whose samples are small: nothing is left on
 * the laptop, which has files but neither a configuration nor a ledger.
 */
export async function expectWholeLoop(
  url: string,
  laptop: Workspace,
  remote: (...args: string[]) => Promise<Ran>,
): Promise<void> {
  const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'r']
  const sending = `svc: sending to ${url}\n`
  // A price per million tokens, which m2 seems to have, and cached input that is free would be warned of.
  const entries = PRICES.entries.map(entry => ({
    ...entry,
    input_usd_per_1k_tokens: 0.001,
    cached_input_usd_per_1k_tokens: 0.0005,
  }))
  laptop.write('prices.yaml', { ...PRICES, entries })
  laptop.write('policy.yaml', { max_latency_ms: 80 })
  laptop.write('a/release.yaml', releaseOf({ version: '1' }))
  laptop.write('b/release.yaml', releaseOf({ version: '2', model: 'm2' }))
  const imported = await remote('pricing', 'import', 'prices.yaml')
  expect(imported).toMatchObject({ code: 0, stderr: sending })
  expect(await remote('policy', 'set', 'policy.yaml')).toMatchObject({ code: 0, stderr: sending })
  const [a, b] = await Promise.all(
    ['a', 'b'].map(async name => {
      const { stdout, stderr } = await remote('release', 'register', name)
      expect(stderr).toBe(sending)
      return stdout.trim()
    }),
  )
  writeEvents(laptop, 'a.jsonl', 12, { release_id: a!, latency: 100 })
  writeEvents(laptop, 'b.jsonl', 12, { release_id: b!, latency: 50, model: 'm2' })
  for (const name of ['a.jsonl', 'b.jsonl']) {
    expect(await remote('runs', 'ingest', name)).toEqual({ code: 0, stdout: '12\n', stderr: sending })
  }
  const diff = await remote('release', 'diff', a!, b!, '--window', '1h', '--fail-on-policy')
  expect(diff).toMatchObject({ code: 0, stderr: '' })
  expect((await remote('release', 'promote', a!, ...ARGS)).stdout).toMatch(/^PROMOTED/)
  expect((await remote('release', 'promote', b!, ...ARGS)).stdout).toMatch(/^PROMOTED/)
  const blocked = await remote('release', 'rollback', a!, ...ARGS)
  expect(blocked.code).toBe(1)
  expect(blocked.stderr.startsWith(`${sending}svc: warning: to roll back anyway: `)).toBe(true)
  expect(blocked.stdout).toMatch(/^BLOCKED .*\n {2}- candidate latency_ms_avg 100\.00 exceeds max 80\n/)

  const { stdout } = await remote('release', 'history', '--output', 'json')
  const { actions } = JSON.parse(stdout) as { actions: Record<string, unknown>[] }
  expect(actions.map(({ actor, actor_source }) => [actor, actor_source])).toEqual(
    Array.from({ length: 3 }, () => ['tester', 'header']),
  )
  expect((await remote('release', 'verify', a!, '--path', 'a')).code).toBe(0)
  expect((await remote('release', 'verify', a!, '--path', 'b')).code).toBe(2)
  expect((await remote('runs', 'export', b!, '--window', '1h')).stdout.split('\n')).toHaveLength(13)
  const doctor = await remote('doctor', '--deep')
  // The database of a test may lose what it has in a power cut, and says so.
  expect({ ...doctor, stderr: doctor.stderr.replaceAll(/^WARN {2}durability: .*\n/gm, '') }).toMatchObject({
    code: 0,
    stderr: '',
  })
  expect(await remote('rollups', 'rebuild')).toMatchObject({ code: 0, stderr: sending })
  expect(laptop.has('.service')).toBe(false)
}
