import { expect, test } from 'vitest'
import { twoReleases } from '../../support/processes/cli.ts'

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
  expect(empty.stdout).toContain('Live\n  Nothing is promoted; `svc release promote` does that\n')
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
    '  Nothing in prd is promoted; what is live is in prod\n',
  )
  const elsewhere = JSON.parse(await ok('status', '--env', 'staging', '--output', 'json')) as Status
  expect(elsewhere.live).toEqual([])
  expect(elsewhere.wrong.filter(({ text }) => text.includes('not passed yet'))).toEqual([])
  expect(JSON.parse(await ok('status', '--agent', 'bot', '--env', 'prod', '--output', 'json'))).toEqual(found)
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
