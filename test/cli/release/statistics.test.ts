import { describe, expect, test } from 'vitest'
import { copyOf, twoReleases, writeEvents } from '../../support/processes/cli.ts'

const made = await twoReleases()
const { baseline, candidate } = made
for (const [release_id, tenant_id, latency, model] of [
  [baseline, 'acme', 100, 'm1'],
  [candidate, 'acme', 100, 'm2'],
  [baseline, 'beta', 200, 'm1'],
  [candidate, 'beta', 400, 'm2'],
] as const) {
  const of = {
    release_id,
    agent_id: 'bot',
    tenant_id,
    latency,
    model,
    environment: 'staging',
    every_ms: 30_000,
  }
  const file = `${release_id}-${tenant_id}.jsonl`
  writeEvents(made.workspace, file, 60, of)
  await made.workspace.ok('runs', 'ingest', file)
}

await made.workspace.ok(
  'release',
  'promote',
  baseline,
  '--env',
  'staging',
  '--window',
  '1h',
  '--reason',
  'first',
)
const ask = (...words: string[]) => copyOf(made.workspace).svc(...words)
const diff = (...more: string[]) =>
  ask('release', 'diff', baseline, candidate, '--env', 'staging', '--window', '1h', ...more)

describe.concurrent('how sure a diff is', () => {
  test('stands below it: a line per metric with its interval and verdict', async () => {
    const { code, stdout } = await diff()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^all runs +baseline +candidate +change$/m)
    expect(stdout).toMatch(/^shared time +change, 95 % interval \(for one check\) +verdict$/m)
    expect(stdout).toMatch(/^latency, mean +\+6[56]\.\d % \[[^\]]*\] +\S/m)
    expect(stdout).toMatch(/^latency, p50 +101 ms +101 ms +0 ms \[/m)
    expect(stdout).toMatch(/^latency, p99 +too few runs$/m)
    expect(stdout).toMatch(
      /^error rate +\+?0\.0 points \[-\d\.\d points, \+\d\.\d points\] +inconclusive: the interval is too wide; a limit of 2\.0 points needs about 189 runs per release, in about \d+ (?:min|h)$/m,
    )
  })

  test('says that intervals hold however often one looks, with --sequential', async () => {
    expect((await diff('--sequential')).stdout).toMatch(
      /change, 95 % interval \(sequential: valid however often you check\)/,
    )
  })

  test('--by tells which groups a change is of', async () => {
    const { code, stdout } = await diff('--by', 'tenant', '--metric', 'latency_ms')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^latency_ms \+100 ms: \+100 ms from changes within tenants, \+?0(?:\.\d)? ms from who sent runs$/m,
    )
    expect(stdout).toMatch(/^beta +60 +60 +200 ms +400 ms +\+100 ms +\+?0(?:\.\d)? ms +changed$/m)
    expect(stdout).toMatch(/^acme +60 +60 +100 ms +100 ms/m)
    expect(stdout.indexOf('beta')).toBeLessThan(stdout.indexOf('acme'))
  })

  test('--by tells a change of the error rate in points, as the diff does', async () => {
    const { stdout } = await diff('--by', 'tenant', '--metric', 'error_rate')
    expect(stdout).toMatch(/^error_rate \+?0\.0 points: \+?0\.0 points from changes within tenants/m)
  })

  test('--by names what it knows', async () => {
    const { code, stderr } = await diff('--by', 'customer')
    expect(code).toBe(1)
    expect(stderr).toMatch(/--by.*tenant/)
  })
})

test('policy advise says which limits the traffic could prove, and in how many days', async () => {
  const { code, stdout } = await ask(
    'policy',
    'advise',
    '--agent',
    'bot',
    '--env',
    'staging',
    '--window',
    '1d',
  )
  expect(code).toBe(0)
  // 120 runs in half an hour, of which nothing is made up: a rate is of an hour at least.
  expect(stdout).toMatch(/^bot in staging: 2,880 runs a day of rel_/)
  expect(stdout).toMatch(/^policy key +limit +runs per release +days$/m)
  expect(stdout).toMatch(/^max_latency_increase_pct +0\.1 \(\+10\.0 %\) +\d+ +\S+$/m)
  expect(stdout).toMatch(/^max_error_rate_increase +0\.02 \(\+2\.0 points\) +\d+ +\S+$/m)
})
