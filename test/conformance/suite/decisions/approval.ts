import { describe, expect, test } from 'vitest'
import { register, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  actionsOf,
  decision,
  ok,
  pointerOf,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type Answer, type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const APPROVAL = { ...SMALL_SAMPLES, promotion_requires_approval: true }
const FIRST = 'first promotion: no promoted baseline for agent/environment'

/** POST /v1/promote/request, confirm and cancel, and GET /v1/promotion-requests. */
export function approvalContract(makeService: MakeService): void {
  describe('a promotion request', () => {
    test('is refused where approval is not required', async () => {
      const service = await makeService()
      const release = await register(service)
      expect(await refusal(request(service, release), 400)).toMatch(/approval/)
      expect(await listed(service)).toEqual([])
    })

    test('that passes the policy is pending, and nothing is promoted yet', async () => {
      const { service, baseline, candidate } = await promoted(makeService)
      service.clock.now = NOON + 1000
      const body = decision(candidate, { window: '2h', reason: 'cheaper', actor: 'rita' })
      const record = await ok(service.call('POST /v1/promote/request', { body }))
      expect(record).toMatchObject({
        request_id: expect.stringMatching(/^prq_[0-9a-f]{12}$/),
        status: 'pending',
        release_id: candidate,
        agent_id: 'bot',
        environment: 'local',
        window: '2h',
        reason: 'cheaper',
        actor: 'rita',
        baseline_release_id: baseline,
        policy: { passed: true, reasons: [], evaluated_at: '2026-01-31T12:00:01.000Z' },
        created_at: '2026-01-31T12:00:01.000Z',
        resolved_at: null,
        completed_action_id: null,
      })
      expect((await listed(service))[0]).toEqual(record)
      expect(await pointerOf(service)).toBe(baseline)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('that the policy blocks is 409 with message and policy, and makes no row', async () => {
      const { service, candidate } = await promoted(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const answer = await request(service, candidate)
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({
        detail: {
          message: expect.stringMatching(/blocked by policy/),
          policy: {
            passed: false,
            reasons: ['candidate cost_per_run_usd 1.600000 exceeds max 1.000000'],
            evaluated_at: '2026-01-31T12:00:00.000Z',
          },
        },
      })
      expect(await listed(service)).toHaveLength(1)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('is refused like a promotion', async () => {
      const { service, candidate } = await promoted(makeService)
      expect(await refusal(request(service, candidate, { reason: ' ' }), 400)).toMatch(/^Reason is required/)
      expect(await refusal(request(service, candidate, { window: '0d' }), 400)).toMatch(/^Invalid window/)
      expect(await refusal(request(service, 'rel_none'), 400)).toBe('Unknown release: rel_none')
      expect(await unprocessableAt(request(service, candidate, { dry_run: true }))).toEqual([
        ['body', 'dry_run'],
      ])
      expect(await listed(service)).toHaveLength(1)
    })
  })

  describe('a confirmation', () => {
    test('completes the request, records the action and moves the pointer', async () => {
      const { service, baseline, candidate } = await promoted(makeService)
      const { request_id } = await ok(request(service, candidate, { reason: 'cheaper', actor: 'rita' }))
      service.clock.now = NOON + 60_000
      const outcome = await ok(confirm(service, request_id, { approval_reason: 'looks good', actor: 'cy' }))
      expect(outcome).toEqual({
        action_id: expect.stringMatching(/^act_[0-9a-f]{12}$/),
        action: 'promote',
        release_id: candidate,
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: baseline,
        promoted_pointer_changed: true,
        policy: { passed: true, reasons: [], evaluated_at: '2026-01-31T12:01:00.000Z' },
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
      const { service, baseline, candidate } = await promoted(makeService)
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
      const { service, candidate } = await promoted(makeService)
      const { request_id } = await ok(request(service, candidate))
      expect(await refusal(confirm(service, request_id, { approval_reason }), 400)).toMatch(/approval_reason/)
      expect((await listed(service))[0]).toMatchObject({ status: 'pending' })
    })

    test('of an unknown or a settled request is refused', async () => {
      const { service, candidate } = await promoted(makeService)
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
      const { service, candidate } = await promoted(makeService)
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
      const { service, baseline, candidate } = await promoted(makeService)
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

  describe('a cancellation', () => {
    test('settles the request for good', async () => {
      const { service, candidate } = await promoted(makeService)
      const { request_id } = await ok(request(service, candidate))
      service.clock.now = NOON + 5000
      const cancelled = await ok(cancel(service, request_id, { reason: 'not today' }))
      expect(cancelled).toMatchObject({
        request_id,
        status: 'cancelled',
        resolved_at: '2026-01-31T12:00:05.000Z',
        completed_action_id: null,
      })
      expect((await listed(service))[0]).toEqual(cancelled)
      expect(await refusal(confirm(service, request_id), 400)).toContain('cancelled')
      expect(await refusal(cancel(service, request_id), 400)).toContain('cancelled')
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('of an unknown or completed request, or without a reason, is refused', async () => {
      const { service, candidate } = await promoted(makeService)
      expect(await refusal(cancel(service, 'prq_none'), 400)).toContain('prq_none')
      const { request_id } = await ok(request(service, candidate))
      await refusal(cancel(service, request_id, { reason: ' ' }), 400)
      await ok(confirm(service, request_id))
      expect(await refusal(cancel(service, request_id), 400)).toContain('completed')
    })
  })

  describe('the list of requests', () => {
    test('is empty at first', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /v1/promotion-requests'))).toEqual({ requests: [] })
    })

    test('is newest first, and filters by status', async () => {
      const { service, candidate } = await promoted(makeService)
      const ids: string[] = []
      for (let index = 0; index < 4; index++) {
        ids.push((await ok(request(service, candidate))).request_id)
      }
      await ok(cancel(service, ids[1]!))
      await ok(confirm(service, ids[2]!))
      const idsOf = async (query: Record<string, string | number>) =>
        (await listed(service, query)).map(record => record.request_id)
      const all = await idsOf({})
      expect(all.slice(0, 4)).toEqual(ids.toReversed())
      expect(await idsOf({ status: 'pending' })).toEqual([ids[3], ids[0]])
      expect(await idsOf({ status: 'cancelled' })).toEqual([ids[1]])
      expect(await idsOf({ status: 'completed' })).toEqual([ids[2], all[4]])
      expect(await idsOf({ status: 'pending', limit: 1 })).toEqual([ids[3]])
      expect(await idsOf({ limit: 500 })).toEqual(all)
    })

    test('has 50 entries unless told otherwise', async () => {
      const service = await makeService({ workspace: APPROVAL })
      const release = await register(service)
      for (let index = 0; index < 52; index++) await ok(request(service, release))
      expect(await listed(service)).toHaveLength(50)
      expect(await listed(service, { limit: 51 })).toHaveLength(51)
    })

    test.each([
      ['status', 'open'],
      ['status', 'PENDING'],
      ['limit', 0],
      ['limit', -1],
      ['limit', 501],
      ['limit', 'abc'],
      ['limit', '1.5'],
    ])('refuses %s=%j', async (name, value) => {
      const service = await makeService()
      const answer = service.call('GET /v1/promotion-requests', { query: { [name]: value } })
      expect(await unprocessableAt(answer)).toEqual([['query', name]])
    })
  })
}

type More = Readonly<Record<string, unknown>>

function request(service: TestService, release_id: string, more?: More): Promise<Answer> {
  return service.call('POST /v1/promote/request', { body: decision(release_id, more) })
}

function confirm(service: TestService, request_id: string, more: More = {}): Promise<Answer> {
  return service.call('POST /v1/promote/confirm', { body: { request_id, approval_reason: 'fine', ...more } })
}

function cancel(service: TestService, request_id: string, more: More = {}): Promise<Answer> {
  return service.call('POST /v1/promote/cancel', { body: { request_id, reason: 'no', ...more } })
}

async function listed(
  service: TestService,
  query: Record<string, string | number> = {},
): Promise<Record<string, unknown>[]> {
  return (await ok(service.call('GET /v1/promotion-requests', { query }))).requests
}

/** A workspace with approval, its baseline promoted by request and confirmation. */
async function promoted(
  makeService: MakeService,
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService({ workspace: APPROVAL })
  const releases = await twoReleases(service)
  const { request_id } = await ok(request(service, releases.baseline))
  await ok(confirm(service, request_id))
  return { service, ...releases }
}
