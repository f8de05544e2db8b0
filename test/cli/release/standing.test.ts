import { describe, expect, test } from 'vitest'
import { SMALL_SAMPLES, atTerminal, copyOf, twoReleases } from '../../support/processes/cli.ts'

const made = await twoReleases(SMALL_SAMPLES)
const { baseline, candidate } = made
const DECISION = ['--env', 'local', '--window', '1h', '--reason'] as const
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

describe.concurrent('svc release promoted', () => {
  test('says what is live since when, by whom and why; a blocked attempt changes nothing', async () => {
    const { svc, svcWith, ok, write, folder } = copyOf(made.workspace)
    const promote = ['release', 'promote', baseline, ...DECISION, 'first\tone']
    expect((await svcWith({ env: { USER: 'ann' } }, ...promote)).code).toBe(0)
    write('policy.yaml', { max_latency_ms: 1 })
    await ok('policy', 'set', 'policy.yaml')
    expect((await svc('release', 'promote', candidate, ...DECISION, 'r')).code).toBe(1)
    const { code, stdout, stderr } = await svc('release', 'promoted')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const cells = String.raw`^bot\tlocal\t${baseline}\t1\t${TIME}\tann\tact_\w{12}\tfirst\\u0009one\n$`
    expect(stdout).toMatch(new RegExp(cells))
    const shown = (await atTerminal(200, folder, 'release', 'promoted')).split('\n')
    expect(shown[0]).toMatch(/^agent {2}env {4}release +version {2}since \(UTC\) +actor {2}action +reason$/)
    expect(shown[1]).toMatch(
      new RegExp(String.raw`^bot {4}local {2}${baseline} {2}1 +\d{4}-\d\d-\d\d \d\d:\d\d {2}ann +act_`),
    )
  })

  test('follows a rollback, and --output json gives the same', async () => {
    const { ok } = copyOf(made.workspace)
    await ok('release', 'promote', baseline, ...DECISION, 'a')
    await ok('release', 'promote', candidate, ...DECISION, 'b')
    await ok('release', 'rollback', baseline, ...DECISION, 'slow since noon')
    const [last] = (await ok('release', 'history')).split('\n').map(line => line.split('\t'))
    const json = JSON.parse(await ok('release', 'promoted', '--output', 'json')) as { promoted: object[] }
    expect(json.promoted).toEqual([
      {
        agent_id: 'bot',
        environment: 'local',
        release_id: baseline,
        version: '1',
        action_id: expect.stringMatching(/^act_/) as string,
        promoted_at: last![1],
        promoted_by: last![8],
        reason: 'slow since noon',
      },
    ])
  })

  test('--agent and --env narrow it; where nothing is promoted stderr says so', async () => {
    const { svc, ok } = copyOf(made.workspace)
    const nothing = {
      code: 0,
      stdout: '',
      stderr: 'svc: no release is live; `svc release promote` makes one live\n',
    }
    expect(await svc('release', 'promoted')).toEqual(nothing)
    await ok('release', 'promote', baseline, ...DECISION, 'a')
    await ok('release', 'promote', candidate, '--env', 'prod', '--window', '1h', '--reason', 'b')
    const releases = async (...args: string[]): Promise<string[]> =>
      (await ok('release', 'promoted', ...args)).split('\n').map(line => line.split('\t')[2]!)
    expect(await releases()).toEqual([baseline, candidate])
    expect(await releases('--env', 'prod', '--agent', 'bot')).toEqual([candidate])
    expect(await svc('release', 'promoted', '--agent', 'cat', '--env', 'prod')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: no release of cat in prod is live; the live release is of bot\n',
    })
    expect(JSON.parse(await ok('release', 'promoted', '--agent', 'cat', '--output', 'json'))).toEqual({
      promoted: [],
    })
  })
})

describe.concurrent('svc release requests', () => {
  test('finds the id to confirm, then shows it as completed', async () => {
    const { svc, ok, write, folder } = copyOf(made.workspace)
    expect(await svc('release', 'requests')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: no promotion requests\n',
    })
    write('service.yaml', { ...SMALL_SAMPLES, promotion_requires_approval: true })
    await ok('release', 'promote-request', baseline, ...DECISION, 'ready')
    const pending = await svc('release', 'requests', '--status', 'pending')
    expect({ code: pending.code, stderr: pending.stderr }).toEqual({ code: 0, stderr: '' })
    const row = String.raw`^prq_\w+\tpending\t${baseline}\tbot\tlocal\t1h\t${TIME}\t\w+\tready\n$`
    expect(pending.stdout).toMatch(new RegExp(row))
    const id = pending.stdout.split('\t')[0]!
    expect(await atTerminal(200, folder, 'release', 'requests')).toMatch(
      new RegExp(String.raw`^request +status +release .*\n${id} {2}pending {2}${baseline} .*ready\n$`),
    )
    await ok('release', 'promote-confirm', id, '--approval-reason', 'looked at it')
    expect(await svc('release', 'requests', '--status', 'pending')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: no pending promotion requests\n',
    })
    const json = JSON.parse(await ok('release', 'requests', '--output', 'json')) as { requests: object[] }
    expect(json.requests).toMatchObject([{ request_id: id, status: 'completed', reason: 'ready' }])
  })
})
