import { describe, expect, test } from 'vitest'
import { APPROVAL, cancel, confirm, listed, request } from '../../../support/services/approvals.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  failedChecks,
  ok,
  pointerOf,
  refusal,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService, testService } from '../../../support/services/service.ts'
import { expireRequests } from '../../../../src/ledger/decide/requests.ts'

const STRICT = { ...APPROVAL, approvals_required: 2, approval_by_another: true, approval_expires: '24h' }
const HOUR_MS = 3_600_000

/** Approvals that mean something: by others, by several, in time, and with what has changed. */
export function approvalsContract(makeService: MakeService): void {
  const reject = (service: TestService, request_id: string, more = {}) =>
    service.call('POST /v1/promote/reject', { body: { request_id, reason: 'no', ...more } })

  async function requested(workspace: Record<string, unknown> = STRICT) {
    const service = await makeService({ workspace })
    const { baseline, candidate } = await twoReleases(service)
    await setPolicy(service, {})
    const { request_id } = await ok(request(service, baseline, { actor: 'rita' }))
    return { service, baseline, candidate, request_id }
  }

  describe('approvals', () => {
    test('of which each but the last is kept with the request, and the last promotes', async () => {
      const { service, baseline, request_id } = await requested()
      const first = await confirm(service, request_id, { actor: 'ann', approval_reason: 'fine by me' })
      expect(first.status).toBe(202)
      expect(first.body).toMatchObject({
        request_id,
        status: 'pending',
        approvals_required: 2,
        approvals: [{ actor: 'ann', reason: 'fine by me', created_at: '2026-01-31T12:00:00.000Z' }],
        since_request: { baseline: null, policy: [], figures: [] },
      })
      expect(await actionsOf(service)).toEqual([])
      const outcome = await ok(confirm(service, request_id, { actor: 'bob' }))
      expect(outcome).toMatchObject({ promoted_pointer_changed: true, since_request: { baseline: null } })
      expect(await pointerOf(service)).toBe(baseline)
      const [settled] = await listed(service)
      expect(settled).toMatchObject({
        status: 'completed',
        approvals: [{ actor: 'ann' }, { actor: 'bob' }],
        completed_action_id: outcome.action_id,
      })
      const action = await ok(service.call(`GET /v1/actions/${outcome.action_id}`))
      expect(action.evidence.request).toMatchObject({
        requested_by: 'rita',
        approvals: [{ actor: 'ann' }, { actor: 'bob' }],
      })
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 3 } }))
      expect(entries.map(({ kind, actor }: Record<string, string>) => [kind, actor])).toEqual([
        ['decision', 'bob'],
        ['request.approved', 'ann'],
        ['request.made', 'rita'],
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are by others than who asked, and each by another', async () => {
      const { service, request_id } = await requested()
      expect(await refusal(confirm(service, request_id, { actor: 'rita' }), 400)).toContain('somebody else')
      expect((await confirm(service, request_id, { actor: 'ann' })).status).toBe(202)
      expect(await refusal(confirm(service, request_id, { actor: 'ann' }), 400)).toContain('already')
      expect((await listed(service))[0]).toMatchObject({ status: 'pending', approvals: [{ actor: 'ann' }] })
    })

    test('warn where the name of who confirms looks like another', async () => {
      const { service, request_id } = await requested()
      // The second letter is Cyrillic.
      const first = await confirm(service, request_id, { actor: 'r\u0456ta' })
      expect(first).toMatchObject({
        status: 202,
        body: { warnings: [expect.stringContaining('looks like rita')] },
      })
      expect(await ok(confirm(service, request_id, { actor: 'bob' }))).not.toHaveProperty('warnings')
    })

    test('that race count once each: of many exactly as many as it takes, and one decision', async () => {
      const { service, request_id } = await requested({ ...STRICT, approvals_required: 3 })
      const actors = ['a', 'b', 'a', 'c', 'd', 'b', 'e']
      const answers = await Promise.all(actors.map(actor => confirm(service, request_id, { actor })))
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
      expect(statuses).toEqual([200, 202, 202, 400, 400, 400, 400])
      expect(await actionsOf(service)).toHaveLength(1)
      const [settled] = await listed(service)
      const approvers = (settled!.approvals as { actor: string }[]).map(({ actor }) => actor)
      expect(new Set(approvers).size).toBe(3)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that race on two servers of one ledger count once each as well', async () => {
      const workspace = { ...STRICT, approvals_required: 3 }
      const { service, request_id } = await requested(workspace)
      const other = await testService({ sql: service.sql, firstId: 700_000, workspace })
      other.clock.now = NOON
      const actors = ['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c']
      const answers = await Promise.all(
        actors.map((actor, index) => confirm(index % 2 === 0 ? service : other, request_id, { actor })),
      )
      expect(answers.map(({ status }) => status).sort((x, y) => x - y)).toEqual([
        200, 202, 202, 400, 400, 400, 400, 400,
      ])
      expect(await actionsOf(service)).toHaveLength(1)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that the policy blocks are 409, recorded, and count for nothing', async () => {
      const { service, candidate, request_id } = await requested({ ...STRICT, approvals_required: 1 })
      await ok(confirm(service, request_id, { actor: 'ann' }))
      const second = await ok(request(service, candidate, { actor: 'rita' }))
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      const answer = await confirm(service, second.request_id, { actor: 'ann' })
      expect(answer.status).toBe(409)
      expect(answer.body.detail.outcome.since_request.policy).toEqual([
        { field: 'max_cost_per_run_usd', from: null, to: 0 },
      ])
      expect((await listed(service))[0]).toMatchObject({ status: 'pending' })
    })

    test('say what has changed since the request, also before they are given', async () => {
      const { service, baseline, candidate, request_id } = await requested({
        ...STRICT,
        approvals_required: 1,
      })
      const second = await ok(request(service, candidate, { actor: 'rita' }))
      await ok(confirm(service, request_id, { actor: 'ann' }))
      await setPolicy(service, { max_error_rate: 1 })
      const preview = await ok(confirm(service, second.request_id, { actor: 'ann', dry_run: true }))
      expect(preview).toMatchObject({ action_id: null, dry_run: true })
      expect(preview.since_request).toMatchObject({
        baseline: { from: null, to: baseline },
        policy: [{ field: 'max_error_rate', from: null, to: 1 }],
      })
      expect(preview.since_request.figures.map(({ name }: { name: string }) => name)).toContain(
        'candidate_cost_per_run_usd',
      )
      expect(await pointerOf(service)).toBe(baseline)
      expect((await listed(service))[0]).toMatchObject({ status: 'pending' })
    })

    test('with a key that is sent again are one', async () => {
      const { service, request_id } = await requested()
      const headers = { 'idempotency-key': 'k1', 'x-service-actor': 'ann' }
      const body = { request_id, approval_reason: 'fine' }
      const send = () => service.call('POST /v1/promote/confirm', { body, headers })
      const [first, again] = [await send(), await send()]
      expect([first.status, again.status]).toEqual([202, 202])
      expect(again.body).toEqual(first.body)
      expect((await listed(service))[0]).toMatchObject({ approvals: [{ actor: 'ann' }] })
    })
  })

  describe('a request', () => {
    test('that is rejected is cancelled, with who and why, and settled for good', async () => {
      const { service, request_id } = await requested()
      expect(await refusal(reject(service, request_id, { reason: ' ' }), 400)).toContain('reason')
      expect(await ok(reject(service, request_id, { actor: 'ann', reason: 'too slow' }))).toMatchObject({
        status: 'cancelled',
        resolution: 'rejected',
        resolved_by: 'ann',
        resolution_reason: 'too slow',
      })
      expect(await refusal(confirm(service, request_id, { actor: 'bob' }), 400)).toContain('rejected by ann')
      expect(await refusal(cancel(service, request_id), 400)).toContain('cancelled already')
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'request.rejected' } }))
      expect(entries).toMatchObject([{ subject: request_id, actor: 'ann', reason: 'too slow' }])
    })

    test('that nobody confirmed in time is cancelled, whoever looks', async () => {
      const { service, request_id } = await requested()
      expect((await listed(service))[0]).toMatchObject({ expires_at: '2026-02-01T12:00:00.000Z' })
      service.clock.now = NOON + 24 * HOUR_MS - 1
      expect(await listed(service, { status: 'pending' })).toHaveLength(1)
      service.clock.now = NOON + 24 * HOUR_MS
      const ended = {
        status: 'cancelled',
        resolution: 'expired',
        resolved_at: '2026-02-01T12:00:00.000Z',
      }
      expect(await listed(service, { status: 'pending' })).toEqual([])
      expect(await listed(service, { status: 'cancelled' })).toMatchObject([ended])
      expect((await ok(service.call('GET /v1/board'))).board[0].pending_requests).toBe(0)
      expect(await refusal(confirm(service, request_id, { actor: 'ann' }), 400)).toContain('expired')
      expect(await refusal(reject(service, request_id), 400)).toContain('expired')
      expect(await expireRequests(service.context)).toBe(1)
      expect(await expireRequests(service.context)).toBe(0)
      expect(await listed(service)).toMatchObject([{ ...ended, resolved_by: 'service' }])
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'request.expired' } }))
      expect(entries).toMatchObject([{ subject: request_id, actor: 'service', actor_source: 'service' }])
      expect(await failedChecks(service)).toEqual([])
    })

    test('of a workspace without such rules is answered as ever', async () => {
      const { service, request_id } = await requested(APPROVAL)
      expect(Object.keys((await listed(service))[0]!)).toHaveLength(15)
      expect(Object.keys(await ok(confirm(service, request_id, { actor: 'rita' })))).toHaveLength(10)
    })
  })
}
