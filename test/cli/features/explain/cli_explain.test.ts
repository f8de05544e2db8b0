import { expect, test } from 'vitest'
import { copyOf, twoReleases } from '../../../support/processes/cli.ts'

const made = await twoReleases()
const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'cheaper'] as const

/** A ledger with a first promotion, and a promotion that was blocked for cost. */
async function blockedForCost() {
  const workspace = copyOf(made.workspace)
  await workspace.ok('release', 'promote', made.baseline, ...ARGS)
  workspace.write('strict.yaml', {
    policy_id: 'strict',
    max_cost_per_run_usd: 3,
    max_latency_ms: 60,
    max_cost_increase_pct: 2,
    compare_by: 'window',
  })
  await workspace.ok('policy', 'set', 'strict.yaml')
  expect((await workspace.svc('release', 'promote', made.candidate, ...ARGS)).code).toBe(1)
  return workspace
}

test('svc audit explain prints each limit, and whether the replay equals the record', async () => {
  const { svc, ok } = await blockedForCost()
  const { code, stdout, stderr } = await svc('audit', 'explain', '2')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.split('\n').map(line => line.trim().split(/ {2,}/))
  expect(lines[0]![0]).toMatch(new RegExp(`^promote ${made.candidate} of bot in local: 2, act_\\w{12}, 20`))
  expect(lines[1]![0]).toMatch(/^window 1h, .*; its policy strict, by rules 1$/)
  expect(lines[3]).toEqual(['limit', 'value', 'must be', 'interval', 'baseline n', 'candidate n', 'verdict'])
  expect(lines.slice(4, 7)).toEqual([
    ['max_cost_per_run_usd', '4', 'at most 3', '-', '10', '10', 'fail'],
    ['max_latency_ms', '50', 'at most 60', '-', '10', '10', 'pass'],
    ['require_high_diff_confidence', 'HIGH', 'HIGH', '-', '10', '10', 'pass'],
  ])
  expect(lines[7]![0]).toBe('max_cost_increase_pct')
  expect(stdout).toMatch(
    /\nrecorded {2}BLOCK\n(?: {2}- .*\n)+replayed {2}BLOCK\n(?: {2}- .*\n)+the replay is equal to the record\n$/,
  )
  const json = JSON.parse(await ok('audit', 'explain', '2', '--output', 'json'))
  expect(json).toMatchObject({ audit_seq: 2, equal: true, by: 'record' })
  expect((await ok('audit', 'explain', json.action_id as string)).split('\n')[0]).toBe(stdout.split('\n')[0])
  expect((await ok('audit', 'explain', '1')).split('\n')[3]).toBe('no limit was evaluated')
  expect(await svc('audit', 'explain', '7')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'svc: Unknown action: there is no audit_seq 7\nsvc: `svc release history` lists actions, each with its number\n',
  })
})

test('svc audit explain --against says what another policy would have decided', async () => {
  const { svc, write } = await blockedForCost()
  write(
    'rise.yaml',
    'max_error_rate: 0.1\nmax_error_rate_increase: 0.02\non_inconclusive: pass\ncompare_by: window\n',
  )
  const rise = await svc('audit', 'explain', '2', '--against', 'rise.yaml')
  expect(rise.stdout).toMatch(/^max_error_rate +0\.0 % +at most 10\.0 % /m)
  expect(rise.stdout).toMatch(/^max_error_rate_increase +\S+ points +at most \+2\.0 points +\[/m)
  write('lax.yaml', 'policy_id: lax\nmax_cost_per_run_usd: 5\n')
  const lax = await svc('audit', 'explain', '2', '--against', 'lax.yaml')
  expect(lax.code).toBe(0)
  expect(lax.stdout).toContain('the policy lax, by rules of this version')
  expect(lax.stdout).toMatch(/replayed {2}PASS\nthis policy decides differently\n$/)
  write('tails.yaml', 'max_latency_p95_ms: 100\n')
  const tails = await svc('audit', 'explain', '2', '--against', 'tails.yaml')
  expect(tails.stdout).toMatch(
    /replayed {2}UNKNOWN\n {2}\? max_latency_p95_ms can't be told: .*\nthe evidence/,
  )
  write('odd.yaml', 'max_cost: 5\n')
  const odd = await svc('audit', 'explain', '2', '--against', 'odd.yaml')
  expect([odd.code, odd.stderr]).toEqual([
    1,
    expect.stringMatching(/^svc: odd\.yaml: max_cost is not a known field.* \(line 1\)\..*\n$/),
  ])
})

test('svc policy test lists what a draft would have decided otherwise', async () => {
  const { svc, write, ok } = await blockedForCost()
  write('lax.yaml', 'policy_id: lax\nmax_cost_per_run_usd: 5\n')
  const { code, stdout, stderr } = await svc('policy', 'test', 'lax.yaml')
  expect([code, stderr]).toEqual([0, 'svc: 2 actions tried: 1 would be decided differently\n'])
  expect(stdout.trimEnd().split('\t')).toEqual([
    '2',
    expect.stringMatching(/^20/),
    'promote',
    'bot',
    'local',
    made.candidate,
    'blocked',
    'passed',
    expect.stringContaining('candidate cost_per_run_usd 4.000000 exceeds max 3.000000'),
  ])
  expect((await svc('policy', 'test', 'lax.yaml', '--fail-on-change')).code).toBe(1)
  expect((await svc('policy', 'test', 'strict.yaml', '--fail-on-change')).code).toBe(0)
  for (const since of [[], ['--since', '30d']]) {
    const none = await svc('policy', 'test', 'lax.yaml', '--agent', 'cat', '--fail-on-change', ...since)
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was tried') })
  }
  expect((await svc('policy', 'test', 'lax.yaml', '--agent', 'cat')).code).toBe(0)
  const json = JSON.parse(await ok('policy', 'test', 'lax.yaml', '--last', '1', '--output', 'json'))
  expect(json).toMatchObject({ tested: 1, changed: 1, next_after: 2 })
  expect(
    JSON.parse(await ok('policy', 'test', 'lax.yaml', '--since', '1h', '--output', 'json')),
  ).toMatchObject({
    tested: 2,
    next_after: null,
  })
  const both = await svc('policy', 'test', 'lax.yaml', '--since', '1h', '--last', '1')
  expect([both.code, both.stderr]).toEqual([1, 'svc: --last and --since exclude each other\n'])
  expect(JSON.parse(await ok('policy', 'show'))).toMatchObject({ policy_id: 'strict' })
})
