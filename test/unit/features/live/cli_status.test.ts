import { expect, test } from 'vitest'
import type { Api } from '../../../../src/cli/service/api.ts'
import { statusLines } from '../../../../src/features/live/cli_status.ts'

function answering(answer: object): Api {
  const text = JSON.stringify(answer)
  return { send: async () => ({ status: 200, headers: { get: () => null }, text }) } as unknown as Api
}

test('svc status says where not all live releases were looked at', async () => {
  const judged = { live: [], judged_at: '2026-01-31T12:00:00.000Z', truncated: true }
  expect(await statusLines(answering({ ...judged, truncated: false }), [])).toEqual([])
  expect(await statusLines(answering(judged), [])).toEqual([
    {
      kind: 'wrong',
      agent_id: null,
      environment: null,
      text: 'the runs of 500 live releases were checked; there are more',
      command: 'svc release promoted',
    },
  ])
})

test('svc status names the command that goes on, of a place where nothing was live before too', async () => {
  const place = {
    agent_id: 'a bot',
    environment: 'prod',
    release_id: 'rel_2',
    version: '2',
    previous_release_id: null,
    broken: [],
    silence: null,
    other_model: null,
  }
  const live = [
    { ...place, broken: [{ text: 'it fails' }] },
    { ...place, broken: [{ text: 'it fails' }], previous_release_id: 'rel_1' },
    { ...place, silence: { text: 'no run came' } },
    { ...place, other_model: { text: 'm9 answered' } },
  ]
  const lines = await statusLines(
    answering({ live, judged_at: '2026-01-31T12:00:00.000Z', truncated: false }),
    [],
  )
  expect(lines.map(({ text, command }) => [text, command])).toEqual([
    ['2 is live: it fails', "svc release history --agent 'a bot' --env prod"],
    ['2 is live: it fails', "svc release history --agent 'a bot' --env prod"],
    [
      '2 is live: a rollback is blocked: your credential does not allow rollbacks',
      "svc release history --agent 'a bot' --env prod",
    ],
    ['2 is live: no run came', 'svc runs list rel_2 --window 24h --env prod'],
    ['2 is live: m9 answered', 'svc release capabilities rel_2'],
  ])
})
