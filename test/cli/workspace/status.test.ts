import { describe, expect, test } from 'vitest'
import { SMALL_SAMPLES, twoReleases, writeEvents } from '../../support/processes/cli.ts'
import { eventOf } from '../../support/services/builders.ts'

const WHY = ['--env', 'prod', '--window', '1h', '--reason', 'why'] as const

interface Status {
  readonly live: readonly { readonly release_id: string; readonly agent_id: string }[]
  readonly waits: readonly { readonly text: string; readonly command: string }[]
  readonly wrong: readonly { readonly text: string; readonly command: string }[]
}

test('svc status says what is live and what is wrong, each with the command that goes on', async () => {
  const { workspace, baseline, candidate } = await twoReleases(undefined, 0)
  const { ok, svc } = workspace
  const empty = await svc('status')
  expect(empty).toMatchObject({ code: 0, stderr: '' })
  expect(empty.stdout).toContain('Live\n  No release is live; `svc release promote` makes one live\n')
  expect(empty.stdout).toContain('Waits\n  Nothing is pending.\n')

  await ok('release', 'promote', baseline, ...WHY)
  expect((await svc('release', 'promote', candidate, ...WHY)).code).toBe(1)
  const { stdout, code } = await svc('status')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}bot +prod +\S+ +\d{4}-\d\d-\d\d \d\d:\d\d +tester$/m)

  const found = JSON.parse(await ok('status', '--output', 'json')) as Status
  expect(found.live).toMatchObject([{ agent_id: 'bot', release_id: baseline }])
  const blocked = found.wrong.find(({ text }) => text.includes('not passed yet'))
  expect(blocked).toMatchObject({
    text: expect.stringContaining(`the last promote (${candidate}) has not passed yet: `) as string,
    command: expect.stringMatching(/^svc audit explain act_/) as string,
  })
  expect((await svc(...blocked!.command.split(' ').slice(1))).code).toBe(0)
  expect(await ok('status', '--env', 'prd')).toContain(
    '  No release in prd is live; the live release is in prod\n',
  )
  const elsewhere = JSON.parse(await ok('status', '--env', 'staging', '--output', 'json')) as Status
  expect(elsewhere.live).toEqual([])
  expect(elsewhere.wrong.filter(({ text }) => text.includes('not passed yet'))).toEqual([])
  expect(JSON.parse(await ok('status', '--agent', 'bot', '--env', 'prod', '--output', 'json'))).toEqual(found)
})

test('svc status names a candidate that the policy blocks, though nobody tried to promote it', async () => {
  const { workspace, baseline, candidate } = await twoReleases(undefined, 0)
  const { ok } = workspace
  await ok('release', 'promote', baseline, '--env', 'local', '--window', '1h', '--reason', 'why')
  const limits = { require_high_diff_confidence: false, min_candidate_runs: 1, max_latency_ms: 1 }
  workspace.write('policy.yaml', limits)
  await ok('policy', 'set', 'policy.yaml')
  for (const [release_id, model] of [
    [baseline, 'm1'],
    [candidate, 'm2'],
  ] as const) {
    writeEvents(workspace, `${model}.jsonl`, 5, { release_id, model, latency: 900 })
    await ok('runs', 'ingest', `${model}.jsonl`)
  }
  const { wrong } = JSON.parse(await ok('status', '--output', 'json')) as Status
  const blocked = wrong.find(({ command }) => command === 'svc status bot --env local')
  expect(blocked?.text).toMatch(/^2 .*latency/)
  expect(await ok(...blocked!.command.split(' ').slice(1))).toContain(blocked!.text)
})

test('svc status of an agent takes no other one by --agent', async () => {
  const { workspace, baseline } = await twoReleases(undefined, 0)
  const { ok, svc } = workspace
  await ok('release', 'promote', baseline, ...WHY)
  expect(await ok('status', 'bot', '--agent', 'bot')).toBe(await ok('status', 'bot'))
  expect(await svc('status', 'bot', '--agent', 'other')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'The agent is named twice: bot, and other by --agent. Name one.',
    ) as string,
  })
})

test('svc status says what waits for somebody: requests, rollouts and watches', async () => {
  const { workspace, baseline, candidate } = await twoReleases({ promotion_requires_approval: true }, 0)
  const { ok } = workspace
  const request = /prq_\w+/.exec(await ok('release', 'promote-request', baseline, ...WHY))![0]
  const waits = async () => (JSON.parse(await ok('status', '--output', 'json')) as Status).waits
  expect(await waits()).toMatchObject([
    {
      text: `tester requested the promotion of ${baseline}; somebody has to confirm or reject it`,
      command: `svc release approve ${request} --reason WHY`,
    },
  ])
  await ok('release', 'promote-confirm', request, '--approval-reason', 'fine')
  await ok('release', 'watch', 'bot', '--env', 'prod', '--against', candidate)
  expect(await waits()).toMatchObject([
    { text: expect.stringContaining(`${baseline} is watched until `) as string },
  ])
})

describe('svc status of a live release that fails', () => {
  const HERE = ['--env', 'local', '--window', '7d', '--reason', 'why'] as const

  /** Live is a release whose runs fail. Before it another one was, whose last run is `hours` old. */
  async function failing(config: object = SMALL_SAMPLES, hours = 0) {
    const { workspace, baseline, candidate } = await twoReleases(config, 0)
    const { ok, svc } = workspace
    const policy = async (limits: object) => {
      workspace.write('policy.yaml', limits)
      await ok('policy', 'set', 'policy.yaml')
    }
    const events = Array.from({ length: 80 }, (_, index) => {
      const isBefore = index < 20
      return eventOf({
        release_id: isBefore ? baseline : candidate,
        run_id: `r${index}`,
        at: Date.now() - 60_000 - index * 1000 - (isBefore ? hours * 3_600_000 : 0),
        latency: 100,
        success: isBefore || index % 2 === 0,
        model: isBefore ? 'm1' : 'm2',
      })
    })
    workspace.write('events.jsonl', events.map(event => JSON.stringify(event)).join('\n'))
    await ok('runs', 'ingest', 'events.jsonl')
    await ok('release', 'promote', baseline, ...HERE)
    await ok('release', 'promote', candidate, ...HERE)
    await policy({ max_error_rate: 0.1 })
    const typed = (command: string): string[] => command.split(' ').slice(1)
    const found = async () => {
      const { wrong } = JSON.parse(await ok('status', '--output', 'json')) as Status
      return wrong.filter(({ text }) => text.startsWith('2 is live'))
    }
    const unusable = async () => {
      const at = Date.now() - 1000
      workspace.write(
        'unusable.jsonl',
        JSON.stringify(eventOf({ release_id: candidate, run_id: 's', at, agent_id: 'bto' })),
      )
      await ok('runs', 'ingest', 'unusable.jsonl')
    }
    return { ok, svc, policy, found, typed, unusable, baseline, candidate }
  }

  test('prints a rollback that works, and that does nothing once another release is live', async () => {
    const { ok, svc, found, typed, baseline, candidate } = await failing()
    const [line, ...more] = await found()
    expect(more).toEqual([])
    const command = `svc release rollback ${baseline} --env local --window 24h --expect ${candidate} --reason WHY`
    expect(line).toMatchObject({ text: expect.stringContaining('error rate') as string, command })
    expect(await ok('status', 'bot')).toContain(`\n  ${command}`)
    expect(await ok(...typed(command))).toMatch(/^ROLLED BACK/)
    expect(await svc(...typed(command))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`you expected ${candidate}`) as string,
    })
  })

  test('says what blocks a rollback and what mends it, with a dry run', async () => {
    const { ok, svc, found, typed, policy } = await failing()
    await policy({ max_error_rate: 0.1, max_latency_ms: 1 })
    const lines = await found()
    const [broken] = lines
    const blocked = lines.find(({ text }) => text.includes('blocked'))
    expect(broken!.command).toMatch(/ --window 24h --dry-run --expect rel_/)
    expect(blocked!.text).toMatch(
      /^2 is live: a rollback is blocked: candidate latency_ms_avg .*; to roll back anyway: allow_forced_rollback: true .*; or relax max_latency_ms in the policy for local$/,
    )
    expect(await ok('status', 'bot')).toContain('\n  a rollback is blocked: candidate latency_ms_avg ')
    expect((await svc(...typed(blocked!.command))).stdout).toMatch(/^WOULD BLOCK/)
  })

  test('forces it where the policy blocks and the workspace allows that, until somebody reviewed it', async () => {
    const { ok, found, typed, policy } = await failing({ ...SMALL_SAMPLES, allow_forced_rollback: true })
    await policy({ max_error_rate: 0.1, max_latency_ms: 1 })
    const { command } = (await found())[0]!
    expect(command).toContain(' --force --expect rel_')
    expect(await ok(...typed(command))).toMatch(/^ROLLED BACK BY FORCE/)
    const forced = async () => {
      const { wrong } = JSON.parse(await ok('status', '--output', 'json')) as Status
      return wrong.filter(({ text }) => text.includes('forced'))
    }
    const [line] = await forced()
    expect(line).toMatchObject({
      text: 'the last rollback was forced by tester, and nobody has reviewed it',
      command: expect.stringMatching(/^svc audit review act_\w+ --reason WHY$/) as string,
    })
    await ok(...typed(line!.command))
    expect(await forced()).toEqual([])
  })

  test('takes a window that holds enough runs of the release before', async () => {
    const { ok, found, typed } = await failing(SMALL_SAMPLES, 30)
    const { command } = (await found())[0]!
    expect(command).toMatch(/ --window 3\dh --expect rel_/)
    expect(await ok(...typed(command))).toMatch(/^ROLLED BACK/)
  })

  test('leaves out the few runs that no decision can count', async () => {
    const { ok, found, typed, unusable } = await failing()
    await unusable()
    const { command } = (await found())[0]!
    expect(command).toContain(' --window 24h --exclude-unusable --expect rel_')
    expect(await ok(...typed(command))).toMatch(/^ROLLED BACK/)
  })
})
