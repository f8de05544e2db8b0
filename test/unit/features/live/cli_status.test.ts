import { expect, test } from 'vitest'
import type { Api } from '../../../../src/cli/service/api.ts'
import { statusLines } from '../../../../src/features/live/cli_status.ts'

function answering(answer: object): Api {
  const text = JSON.stringify(answer)
  return { send: async () => ({ status: 200, headers: { get: () => null }, text }) } as unknown as Api
}

test('svc status says where not all live releases were looked at', async () => {
  const judged = { live: [], judged_at: '2026-01-31T12:00:00.000Z', truncated: true }
  expect(await statusLines(answering({ ...judged, truncated: false }))).toEqual([])
  expect(await statusLines(answering(judged))).toEqual([
    {
      kind: 'wrong',
      agent_id: null,
      environment: null,
      text: 'the runs of 500 live releases were looked at; there are more',
      command: 'svc release promoted',
    },
  ])
})
