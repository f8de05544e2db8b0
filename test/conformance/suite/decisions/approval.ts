import { describe, expect, test } from 'vitest'
import {
  APPROVAL,
  cancel,
  confirm,
  listed,
  promotedByTwo,
  request,
} from '../../../support/services/approvals.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  ok,
  pointerOf,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const FIRST = 'first promotion: no promoted baseline for agent/environment'

/** POST /v1/promote/confirm. */
export function approvalContract(makeService: MakeService): void {
  describe('a confirmation', () => {
    test('completes the request, records the action and moves the pointer', async () => {
      const { service, baseline, candidate } = await promotedByTwo(makeService)
      const { request_id } = await ok(request(service, candidate, { reason: 'cheaper', actor: 'rita' }))
      service.clock.now = NOON + 60_000
      const outcome = await ok(confirm(service, request_id, { approval_reason: 'looks good', actor: 'cy' }))
      expect(outcome).toEqual({
        action_id: expect.stringMatching(/^act_[0-9a-f]{12}$/),
        action: 'promote',
        release_id: candidate,
        version: '2',
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: baseline,
        baseline_version: '1',
        promoted_pointer_changed: true,
        policy: { passed: true, result: 'passed', reasons: [], evaluated_at: '2026-01-31T12:01:00.000Z' },
      })
      expect(await pointerOf(service)).toBe(candidate)
      expect((await actionsOf(service))[0]).toMatchObject({
        action_id: outcome.action_id,
        reason: 'cheaper | approval: looks good',
        actor: 'cy',
      })
      expect((await listed(service))[0]).toMatchObject({
        request_id,
        status: 'completed',
        actor: 'rita',
        resolved_at: '2026-01-31T12:01:00.000Z',
        completed_action_id: outcome.action_id,
      })
    })

    test('that the policy blocks is 409, recorded, and leaves the request pending', async () => {
      const { service, baseline, candidate } = await promotedByTwo(makeService)
      const { request_id } = await ok(request(service, candidate))
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const answer = await confirm(service, request_id)
      expect(answer.status).toBe(409)
      expect(answer.body.detail).toMatchObject({
        message: 'Promotion blocked by policy.',
        outcome: { release_id: candidate, promoted_pointer_changed: false, policy: { passed: false } },
      })
      expect(await pointerOf(service)).toBe(baseline)
      expect((await actionsOf(service))[0]).toMatchObject({
        action_id: answer.body.detail.outcome.action_id,
        policy_passed: false,
        reason: 'because | approval: fine',
      })
      expect((await listed(service))[0]).toMatchObject({
        status: 'pending',
        resolved_at: null,
        completed_action_id: null,
      })
      await setPolicy(service, {})
      await ok(confirm(service, request_id))
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('evaluates against what is promoted now', async () => {
      const service = await makeService({ workspace: APPROVAL })
      const { baseline, candidate } = await twoReleases(service)
      const first = await ok(request(service, baseline))
      const second = await ok(request(service, candidate))
      expect(second).toMatchObject({ baseline_release_id: null, policy: { reasons: [FIRST] } })
      await ok(confirm(service, first.request_id))
      expect(await ok(confirm(service, second.request_id))).toMatchObject({
        baseline_release_id: baseline,
        policy: { passed: true, reasons: [] },
      })
    })

    test.each(['', ' \n'])('needs an approval_reason, not %j', async approval_reason => {
      const { service, candidate } = await promotedByTwo(makeService)
      const { request_id } = await ok(request(service, candidate))
      expect(await refusal(confirm(service, request_id, { approval_reason }), 400)).toMatch(/approval_reason/)
      expect((await listed(service))[0]).toMatchObject({ status: 'pending' })
    })

    test('of an unknown or a settled request is refused', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      expect(await refusal(confirm(service, 'prq_none'), 400)).toContain('prq_none')
      const { request_id } = await ok(request(service, candidate))
      await ok(confirm(service, request_id))
      expect(await refusal(confirm(service, request_id), 400)).toContain('completed')
      expect(await actionsOf(service)).toHaveLength(2)
    })

    test.each([
      [{ request_id: undefined }, 'request_id'],
      [{ request_id: 1 }, 'request_id'],
      [{ approval_reason: undefined }, 'approval_reason'],
      [{ approval_reason: null }, 'approval_reason'],
      [{ reason: 'r' }, 'reason'],
    ])('of the wrong shape is 422: %j', async (more, field) => {
      const service = await makeService({ workspace: APPROVAL })
      expect(await unprocessableAt(confirm(service, 'prq_x', more))).toEqual([['body', field]])
    })

    test('that races with others wins or is refused, and exactly one wins', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      const { request_id } = await ok(request(service, candidate))
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map(actor => confirm(service, request_id, { actor })),
      )
      expect(
        answers
          .map(answer => String(answer.status))
          .sort()
          .join(' '),
      ).toBe('200 400 400 400 400 400')
      const winner = answers.find(answer => answer.status === 200)!.body
      expect(await actionsOf(service)).toHaveLength(2)
      expect((await listed(service))[0]).toMatchObject({ completed_action_id: winner.action_id })
    })

    test('that races with a cancellation settles the request once', async () => {
      const { service, baseline, candidate } = await promotedByTwo(makeService)
      for (let round = 0; round < 5; round++) {
        const { request_id } = await ok(request(service, candidate))
        const before = (await actionsOf(service)).length
        const calls = [confirm(service, request_id), cancel(service, request_id)]
        const [confirmed, cancelled] = await Promise.all(round % 2 === 0 ? calls : calls.toReversed())
        expect(new Set([confirmed!.status, cancelled!.status])).toEqual(new Set([200, 400]))
        const [settled] = await listed(service)
        const actions = (await actionsOf(service)).length - before
        expect([settled!.status, actions]).toEqual(
          settled!.completed_action_id === null ? ['cancelled', 0] : ['completed', 1],
        )
        await ok(rollback(service, baseline))
      }
    })
  })
}
