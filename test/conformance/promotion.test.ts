import { expect, test } from 'vitest'
import { twoReleases } from '../support/builders.ts'
import { testService } from '../support/service.ts'

test('a first promotion passes unconditionally, the next one is evaluated', async () => {
  const service = await testService({ workspace: { diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 1 } } })
  const { baseline, candidate } = await twoReleases(service)
  const decision = { environment: 'local', window: '1h', reason: 'r' }
  const first = await service.call('POST /v1/promote', { body: { release_id: baseline, ...decision } })
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject({
    action: 'promote',
    release_id: baseline,
    agent_id: 'bot',
    environment: 'local',
    baseline_release_id: null,
    promoted_pointer_changed: true,
    policy: {
      passed: true,
      reasons: ['first promotion: no promoted baseline for agent/environment'],
      evaluated_at: '2026-01-31T12:00:00.000Z',
    },
  })
  const second = await service.call('POST /v1/promote', { body: { release_id: candidate, ...decision } })
  expect(second.body).toMatchObject({ baseline_release_id: baseline, policy: { passed: true, reasons: [] } })
  const promoted = await service.call('GET /v1/promoted')
  expect(promoted.body).toEqual({
    promoted: [{ agent_id: 'bot', environment: 'local', release_id: candidate }],
  })
})
