import { describe, expect, test } from 'vitest'
import { SMALL_SAMPLES, copyOf, twoReleases } from '../../support/processes/cli.ts'

const made = await twoReleases({ ...SMALL_SAMPLES, promotion_requires_approval: true })
const { baseline, candidate } = made
const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'ready'] as const

/** A copy of the workspace, with what the commands of the flow print. */
function approvalWorkspace() {
  const workspace = copyOf(made.workspace)
  const release = (...args: string[]) => workspace.svc('release', ...args)
  return {
    ...workspace,
    release,
    request: (id: string) => release('promote-request', id, ...ARGS),
    requestId: async (id: string) => idOf(await workspace.ok('release', 'promote-request', id, ...ARGS)),
    confirm: (id: string, reason = 'looked at it') =>
      release('promote-confirm', id, '--approval-reason', reason),
    cancel: (id: string, reason = 'superseded') => release('cancel', id, '--reason', reason),
    history: async () => {
      const text = await workspace.ok('release', 'history')
      return text === '' ? [] : text.split('\n').map(line => line.split('\t'))
    },
  }
}

/** Finds the id as a script would: `request_id=prq_…` is alone in the first line. */
function idOf(printed: string): string {
  return /^request_id=(prq_[0-9a-f]{12})\n/.exec(printed)![1]!
}

describe.concurrent('a workspace that requires approval', () => {
  test('refuses a plain promotion, also a dry one', async () => {
    const { release, history } = approvalWorkspace()
    for (const more of [[], ['--dry-run']]) {
      const { code, stdout, stderr } = await release('promote', baseline, ...ARGS, ...more)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^svc: This workspace requires approval .*promote-request.*\n$/)
    }
    expect(await history()).toEqual([])
  })

  test('promotes in two steps, and records both reasons and the confirmer', async () => {
    const { request, confirm, svcWith, history } = approvalWorkspace()
    const requested = await request(baseline)
    expect(requested.code).toBe(0)
    const id = idOf(requested.stdout)
    expect(JSON.parse(requested.stdout.replace(/^.*\n/, ''))).toMatchObject({
      policy: { passed: true, reasons: ['first promotion: no promoted baseline for agent/environment'] },
    })
    expect(requested.stderr).toContain(`svc release approve ${id} --reason WHY`)
    expect(await history()).toEqual([])

    const refused = await confirm(id, ' ')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toBe('svc: approval_reason is required to confirm a promotion\n')
    const args = ['release', 'promote-confirm', id, '--approval-reason', '-y']
    const confirmed = await svcWith({ env: { USER: 'boss' } }, ...args)
    expect(confirmed.code).toBe(0)
    expect(confirmed.stdout).toMatch(new RegExp(`^PROMOTED  ${baseline}  bot in local`))
    const [line] = await history()
    expect([line![8], line![9]]).toEqual(['boss', 'ready | approval: -y'])
    const again = await confirm(id)
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(new RegExp(`^svc: Promotion request ${id} is completed already .*\n$`))
  })

  test('a request that the policy blocks is not made; its verdict is printed', async () => {
    const { requestId, request, confirm, write, ok, history } = approvalWorkspace()
    await confirm(await requestId(baseline))
    write('policy.yaml', { max_latency_ms: 1 })
    await ok('policy', 'set', 'policy.yaml')
    const { code, stdout, stderr } = await request(candidate)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      policy: { passed: false, reasons: ['candidate latency_ms_avg 50.00 exceeds max 1'] },
    })
    expect(stderr).toMatch(/^svc: .*blocked by policy.*\n$/i)
    expect(await history()).toHaveLength(1)
  })

  test('a confirmation that the policy blocks is recorded, and the request stays pending', async () => {
    const { requestId, confirm, write, ok, history } = approvalWorkspace()
    await confirm(await requestId(baseline))
    const id = await requestId(candidate)
    write('policy.yaml', { max_latency_ms: 1 })
    await ok('policy', 'set', 'policy.yaml')
    const blocked = await confirm(id)
    expect(blocked.code).toBe(1)
    expect(blocked.stdout).toMatch(new RegExp(`^BLOCKED  ${candidate}`))
    expect((await history())[0]!.slice(2, 4)).toEqual(['promote', 'blocked'])
    write('policy.yaml', {})
    await ok('policy', 'set', 'policy.yaml')
    expect((await confirm(id)).code).toBe(0)
  })

  test('a cancelled request can be neither confirmed nor cancelled again', async () => {
    const { requestId, confirm, cancel, history } = approvalWorkspace()
    const id = await requestId(baseline)
    const blank = await cancel(id, '')
    expect(blank).toMatchObject({ code: 1, stdout: '' })
    expect(blank.stderr).toMatch(/^svc: reason is required .*\n$/)
    expect(await cancel(id)).toEqual({ code: 0, stdout: `${id} cancelled\n`, stderr: '' })
    for (const settled of [await confirm(id), await cancel(id)]) {
      expect(settled).toMatchObject({ code: 1, stdout: '' })
      expect(settled.stderr).toBe(`svc: Promotion request ${id} is cancelled already.\n`)
    }
    expect(await history()).toEqual([])
  })

  test('of confirmations at the same time exactly one promotes', async () => {
    const { requestId, confirm, history } = approvalWorkspace()
    const id = await requestId(baseline)
    const all = await Promise.all([confirm(id), confirm(id), confirm(id)])
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(await history()).toHaveLength(1)
  })

  test('rollback is not part of the flow, and unknown requests are named', async () => {
    const { requestId, confirm, cancel, release } = approvalWorkspace()
    await confirm(await requestId(baseline))
    expect((await release('rollback', candidate, ...ARGS)).code).toBe(0)
    for (const { code, stderr } of [await confirm('prq_x'), await cancel('prq_x')]) {
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'svc: Unknown promotion request: prq_x\nsvc: `svc release requests` lists them\n',
      })
    }
  })
})
