import { describe, expect, test } from 'vitest'
import { SMALL_SAMPLES, type Workspace, copyOf, twoReleases } from '../../support/processes/cli.ts'

const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'r'] as const
const made = await twoReleases()
const { baseline, candidate } = made
await made.workspace.ok('release', 'promote', baseline, ...ARGS)

/** What makes a policy say it, of a candidate with ten runs of 50 ms. */
const POLICIES = {
  pass: {},
  block: { max_latency_ms: 40 },
  'too little evidence': { min_candidate_runs: 11 },
  'a block for want of evidence too': { max_latency_ms: 40, min_candidate_runs: 11 },
} as const
const CODES = [
  ['pass', 0, 0],
  ['block', 1, 3],
  ['too little evidence', 1, 4],
  ['a block for want of evidence too', 1, 3],
] as const

async function under(workspace: Workspace, policy: keyof typeof POLICIES): Promise<void> {
  workspace.write('policy.yaml', POLICIES[policy])
  await workspace.ok('policy', 'set', 'policy.yaml')
}

describe.concurrent.each(CODES)('%s', (policy, plain, detailed) => {
  test(`exits ${plain}, and ${detailed} with --detailed-exitcode`, async () => {
    const workspace = copyOf(made.workspace)
    await under(workspace, policy)
    const diff = ['release', 'diff', baseline, candidate, '--window', '1h']
    expect((await workspace.svc(...diff)).code).toBe(0)
    expect((await workspace.svc(...diff, '--fail-on-policy')).code).toBe(plain)
    expect((await workspace.svc(...diff, '--detailed-exitcode')).code).toBe(detailed)
    expect((await workspace.svc(...diff, '--fail-on-policy', '--detailed-exitcode')).code).toBe(detailed)
    // The gate is for pipelines, and always tells them apart.
    expect((await workspace.svc('release', 'gate', candidate, '--env', 'local', '--window', '1h')).code).toBe(
      detailed,
    )
    for (const decide of ['promote', 'rollback']) {
      const line = ['release', decide, candidate, ...ARGS, '--dry-run']
      expect((await workspace.svc(...line)).code).toBe(plain)
      expect((await workspace.svc(...line, '--detailed-exitcode')).code).toBe(detailed)
    }
  })

  test(`a request and its confirmation exit ${plain}, and ${detailed} with --detailed-exitcode`, async () => {
    const workspace = copyOf(made.workspace)
    workspace.write('service.yaml', { ...SMALL_SAMPLES, promotion_requires_approval: true })
    const request = ['release', 'promote-request', candidate, ...ARGS]
    const requested = (await workspace.ok(...request)).split('\n')[0]!.replace('request_id=', '')
    await under(workspace, policy)
    expect((await workspace.svc(...request)).code).toBe(plain)
    expect((await workspace.svc(...request, '--detailed-exitcode')).code).toBe(detailed)
    const confirm = ['release', 'promote-confirm', requested, '--approval-reason', 'r']
    // What is blocked leaves the request as it is, so that the same one can be confirmed twice.
    if (plain !== 0) expect((await workspace.svc(...confirm)).code).toBe(plain)
    expect((await workspace.svc(...confirm, '--detailed-exitcode')).code).toBe(detailed)
  })
})

test.concurrent.each([
  ['rel_x', '--env', 'local', '--window', '1h'],
  [candidate, '--env', 'local', '--window', 'soon'],
  [candidate, '--env', 'local', '--window', '1h', '--baseline', 'rel_x'],
  [candidate, '--env', 'local'],
  [candidate, '--env', '', '--window', '1h'],
])('release gate %s %s %s %s %s exits 1', async (...args) => {
  const { code, stdout } = await copyOf(made.workspace).svc('release', 'gate', ...args)
  expect([code, stdout]).toEqual([1, ''])
})

test.concurrent.each([
  ['diff', 'rel_x', candidate, '--window', '1h'],
  ['diff', baseline, candidate, '--window', 'soon'],
  ['promote', 'rel_x', ...ARGS],
  ['promote', candidate, '--env', 'local', '--window', '1h'],
  ['promote-request', candidate, ...ARGS],
  ['promote-confirm', 'prq_x', '--approval-reason', 'r'],
])('with --detailed-exitcode release %s of what can not be decided exits 1', async (...args) => {
  const { code } = await copyOf(made.workspace).svc('release', ...args, '--detailed-exitcode')
  expect(code).toBe(1)
})
