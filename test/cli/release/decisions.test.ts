import { describe, expect, test } from 'vitest'
import { copyOf, twoReleases } from '../../support/processes/cli.ts'

const made = await twoReleases()
const { baseline, candidate } = made
const FIRST = 'first promotion: no promoted baseline for agent/environment'
const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'cheaper'] as const

/** A copy of the ledger for one test, and what it does with it. */
function copyOfDecisions() {
  const workspace = copyOf(made.workspace)
  const promote = (id: string, ...more: string[]) => workspace.svc('release', 'promote', id, ...ARGS, ...more)
  const rollback = (id: string, ...more: string[]) =>
    workspace.svc('release', 'rollback', id, ...ARGS, ...more)
  const history = async (...more: string[]) => {
    const { actions } = JSON.parse(await workspace.ok('release', 'history', '--output', 'json', ...more)) as {
      actions: Record<string, any>[]
    }
    return actions
  }
  return { workspace, promote, rollback, history }
}

describe.concurrent('svc release promote and rollback', () => {
  test('the pointer moves when the policy passes, and every step is on record', async () => {
    const { promote, rollback, history } = copyOfDecisions()
    const first = await promote(baseline)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      new RegExp(
        `^PROMOTED  ${baseline}  bot in local \\(nothing promoted before\\)  act_\\S{12}\n  - ${FIRST}\n$`,
      ),
    )
    const second = await promote(candidate)
    expect(second.code).toBe(0)
    expect(second.stdout).toContain(`PROMOTED  ${candidate}  bot in local (1 → 2, was ${baseline})  act_`)
    const again = await promote(candidate)
    expect(again.code).toBe(0)
    expect(again.stdout).toContain(`UNCHANGED  ${candidate}  bot in local (already live)  act_`)
    expect(again.stderr).toContain('This release is already live in local, so nothing changes.')
    const third = await rollback(baseline)
    expect(third.code).toBe(0)
    expect(third.stdout).toContain(`ROLLED BACK  ${baseline}  bot in local (2 → 1, was ${candidate})  act_`)
    expect(await history()).toMatchObject([
      { audit_seq: 4, action: 'rollback', release_id: baseline, baseline_release_id: candidate },
      { audit_seq: 3, action: 'promote', release_id: candidate, baseline_release_id: candidate },
      { audit_seq: 2, action: 'promote', release_id: candidate, baseline_release_id: baseline },
      { audit_seq: 1, action: 'promote', release_id: baseline, baseline_release_id: null },
    ])
  })

  test('a blocked decision exits 1 with its reasons, is recorded, and leaves the pointer', async () => {
    const { workspace, promote, rollback, history } = copyOfDecisions()
    await promote(baseline)
    workspace.write('policy.yaml', { max_cost_per_run_usd: 3, max_latency_ms: 40 })
    await workspace.ok('policy', 'set', 'policy.yaml')
    const reasons = [
      'candidate cost_per_run_usd 4.000000 exceeds max 3.000000',
      'candidate latency_ms_avg 50.00 exceeds max 40',
    ]
    const wayOut =
      'svc: warning: to roll back anyway: relax max_cost_per_run_usd, max_latency_ms in the policy for local\n'
    for (const [decide, warned] of [
      [promote, ''],
      [
        rollback,
        `${wayOut}svc: warning: ${candidate} was never live in local: \`svc release history --agent bot --env local\` lists the decisions\n`,
      ],
    ] as const) {
      const { code, stdout, stderr } = await decide(candidate)
      expect({ code, stderr }).toEqual({ code: 1, stderr: warned })
      expect(stdout).toContain(`BLOCKED  ${candidate}  bot in local (stays 1, ${baseline})  act_`)
      expect(stdout.split('\n').slice(1, 3)).toEqual(reasons.map(reason => `  - ${reason}`))
    }
    const json = await promote(candidate, '--output', 'json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      action: 'promote',
      release_id: candidate,
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: baseline,
      promoted_pointer_changed: false,
      policy: { passed: false, reasons },
    })
    const [last, , , before] = await history()
    expect(last).toMatchObject({ audit_seq: 4, policy_passed: false, policy_reasons: reasons })
    expect(before).toMatchObject({ audit_seq: 1, policy_passed: true })
    expect((await workspace.svc('doctor')).stdout).toContain(`${baseline} is registered`)
  })

  test('--expect decides only where that is live, or nothing', async () => {
    const { workspace, history } = copyOfDecisions()
    const decide = (action: string, id: string, ...more: string[]) =>
      workspace.svc('release', action, id, ...ARGS, '--expect', ...more)
    expect((await decide('promote', baseline, 'none')).code).toBe(0)
    for (const refused of [
      await decide('promote', candidate, 'none'),
      await decide('rollback', candidate, candidate),
      await decide('promote', candidate, candidate, '--dry-run'),
    ]) {
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      const is = `Live for bot in local is now 1 \\(${baseline}\\), promoted by tester at .+; you expected .+`
      expect(refused.stderr).toMatch(new RegExp(`^svc: ${is}\n$`))
    }
    expect(await decide('promote', candidate, '')).toMatchObject({ code: 1, stdout: '' })
    expect(await history()).toHaveLength(1)
    expect(await decide('promote', candidate, '1')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 → 2'),
      stderr: expect.stringContaining(`1 is ${baseline}`),
    })
  })

  test('a promotion blocked for confidence says what is missing', async () => {
    const { workspace, promote } = copyOfDecisions()
    workspace.write('service.yaml', {
      diff: { min_candidate_runs: 15, min_baseline_runs: 10, min_low_runs: 0 },
    })
    await promote(baseline)
    const { code, stdout } = await promote(candidate)
    expect(code).toBe(1)
    expect(stdout).toContain(
      '  - diff confidence is MEDIUM (candidate sample < 15 runs); promotion requires HIGH\n' +
        '  It takes about 5 more runs of the candidate, about 30 min at the present rate, and a window of 90m.\n',
    )
  })

  test('--dry-run evaluates, and writes nothing', async () => {
    const { workspace, promote, rollback, history } = copyOfDecisions()
    const would = await promote(baseline, '--dry-run')
    expect(would.code).toBe(0)
    expect(would.stdout).toMatch(/^WOULD PROMOTE .* nothing written\n/)
    expect(await history()).toEqual([])
    await promote(baseline)
    workspace.write('policy.yaml', { max_error_rate: 0, max_cost_per_run_usd: 0 })
    await workspace.ok('policy', 'set', 'policy.yaml')
    const blocked = await promote(candidate, '--dry-run')
    expect(blocked.code).toBe(1)
    expect(blocked.stdout).toMatch(/^WOULD BLOCK .* nothing written\n {2}- candidate cost/)
    const json = await rollback(candidate, '--dry-run', '--output', 'json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ action_id: null, dry_run: true })
    expect(await history()).toHaveLength(1)
  })

  test('a reason is kept exactly as it was typed', async () => {
    const { workspace, history } = copyOfDecisions()
    const reasons = [
      '-x',
      '--env',
      '=a=b',
      '1.10',
      '0x10',
      ' spaced  ',
      '$HOME `x` "q"',
      'line\nbreak\ttab',
      '✓ é',
    ]
    for (const reason of reasons) {
      const { code } = await workspace.svc(
        'release',
        'promote',
        baseline,
        '--window',
        '1h',
        '--env',
        'local',
        '--reason',
        reason,
      )
      expect(code).toBe(0)
    }
    const equals = ['--window=1h', '--env=local', '--reason=--a=b']
    expect((await workspace.svc('release', 'promote', baseline, ...equals)).code).toBe(0)
    expect((await history()).map(({ reason }) => reason as string).toReversed()).toEqual([
      ...reasons,
      '--a=b',
    ])
    const lines = (await workspace.ok('release', 'history')).split('\n')
    expect(lines).toHaveLength(reasons.length + 1)
    expect(lines.map(line => line.split('\t')[9])).toContain(String.raw`line\u000abreak\u0009tab`)
  })

  test.each([
    [
      ['promote', baseline, '--env', 'local', '--window', '1h', '--reason', ''],
      'Reason is required for promote/rollback actions',
    ],
    [
      ['rollback', baseline, '--env', 'local', '--window', '1h', '--reason', ' \t'],
      'Reason is required for promote/rollback actions',
    ],
    [
      ['rollback', baseline, ...ARGS],
      'No promoted release exists for this agent/environment; nothing to roll back to',
    ],
    [['promote', 'rel_x', ...ARGS], 'Unknown release: rel_x'],
    [['promote', baseline, '--env', 'local', '--window', '1w', '--reason', 'r'], 'Invalid window'],
    [['promote-request', baseline, ...ARGS], 'This workspace does not require approval'],
    [['promote', baseline, ...ARGS, '--output', 'yaml'], '--output must be text or json'],
  ])('svc release %j is refused and not recorded', async (args, message) => {
    const { workspace, history } = copyOfDecisions()
    const { code, stdout, stderr } = await workspace.svc('release', ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: .*\n(?:svc: `svc release list` lists releases.*\n)?$/)
    expect(stderr).toContain(message)
    expect(await history()).toEqual([])
  })
})
