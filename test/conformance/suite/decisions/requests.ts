import { describe, expect, test } from 'vitest'
import {
  APPROVAL,
  cancel,
  confirm,
  listed,
  promotedByTwo,
  request,
} from '../../../support/services/approvals.ts'
import { register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  decision,
  ok,
  pointerOf,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

/** POST /v1/promote/request and cancel, and GET /v1/promotion-requests. */
export function requestsContract(makeService: MakeService): void {
  describe('a promotion request', () => {
    test('is refused where approval is not required', async () => {
      const service = await makeService()
      const release = await register(service)
      expect(await refusal(request(service, release), 400)).toMatch(/approval/)
      expect(await listed(service)).toEqual([])
    })

    test('that passes the policy is pending, and nothing is promoted yet', async () => {
      const { service, baseline, candidate } = await promotedByTwo(makeService)
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
        policy: { passed: true, result: 'passed', reasons: [], evaluated_at: '2026-01-31T12:00:01.000Z' },
        created_at: '2026-01-31T12:00:01.000Z',
        resolved_at: null,
        completed_action_id: null,
      })
      expect((await listed(service))[0]).toEqual(record)
      expect(await pointerOf(service)).toBe(baseline)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('that the policy blocks is 409 with message and policy, and makes no row', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const answer = await request(service, candidate)
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({
        detail: {
          message: expect.stringMatching(/blocked by policy/),
          policy: {
            passed: false,
            result: 'blocked',
            reasons: ['candidate cost_per_run_usd 1.600000 exceeds max 1.000000'],
            evaluated_at: '2026-01-31T12:00:00.000Z',
          },
        },
      })
      expect(await listed(service)).toHaveLength(1)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('is refused like a promotion', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      expect(await refusal(request(service, candidate, { reason: ' ' }), 400)).toMatch(/^Reason is required/)
      expect(await refusal(request(service, candidate, { window: '0d' }), 400)).toMatch(/^Invalid window/)
      expect(await refusal(request(service, 'rel_none'), 400)).toBe('Unknown release: rel_none')
      expect(await unprocessableAt(request(service, candidate, { dry_run: true }))).toEqual([
        ['body', 'dry_run'],
      ])
      expect(await listed(service)).toHaveLength(1)
    })
  })

  describe('a cancellation', () => {
    test('settles the request for good', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
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
      const { service, candidate } = await promotedByTwo(makeService)
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
      const { service, candidate } = await promotedByTwo(makeService)
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
      // A link to a request opens it, however many are newer.
      expect(await idsOf({ id: ids[0]!, limit: 1 })).toEqual([ids[0]])
      expect(await idsOf({ id: ids[0]!, status: 'completed' })).toEqual([])
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
