import { describe, expect, test } from 'vitest'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import {
  cancelPromotion,
  rejectPromotion,
  requestPromotion,
} from '../../../../src/ledger/decide/promotion_requests.ts'
import { expireRequests } from '../../../../src/ledger/decide/requests.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { sql } from '../../../../src/sql/port.ts'
import {
  AHEAD_MS,
  ANN,
  BOB,
  MORNING,
  storedRows,
  logOf,
  plainLedger,
  priced,
  ran,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'
import { EIGHT, HERE } from '../../../support/ledgers/decided_ledger.ts'
import {
  DAY_MS,
  PLAIN,
  FIRST,
  requested,
  listed,
  overtaken,
  confirmed,
  revisionOf,
  losing,
} from '../../../support/ledgers/requested_ledger.ts'

describe('a request', () => {
  test('is a row, an entry of the log that holds it, and a change for decisions', async () => {
    const { ledger, release, request, request_id } = await requested()
    const expected = {
      request_id: 'prq_000000000002',
      status: 'pending',
      release_id: release,
      agent_id: 'bot',
      environment: 'local',
      window: '1h',
      reason: 'because',
      actor: 'bob',
      claimed_actor: 'robert',
      baseline_release_id: null,
      policy: FIRST,
      created_at: EIGHT,
      resolved_at: null,
      resolved_by: null,
      resolution_reason: null,
      completed_action_id: null,
      // By the database's clock, which says when it is over.
      expires_at: '2026-03-02T08:00:00.250Z',
      approvals_required: 2,
      approvals: [],
    }
    expect(request).toEqual(expected)
    expect(await listed(ledger)).toEqual([expected])
    expect(await ledger.rows('promotion_requests')).toMatchObject([
      {
        actor_source: 'header',
        approvals_json: '[]',
        expires_at: MORNING + AHEAD_MS + DAY_MS,
        assessed_json: JSON.stringify({ baseline_release_id: null, policy: DEFAULT_POLICY, metrics: null }),
      },
    ])
    const entry = (await logOf(ledger)).at(-1)!
    expect(entry).toMatchObject({
      kind: 'request.made',
      subject: request_id,
      actor: 'bob',
      actor_source: 'header',
      reason: 'because',
      created_at: MORNING,
      fact: null,
      details: { release_id: release, agent_id: 'bot', environment: 'local' },
    })
    const { says, are } = await storedRows(ledger, 'promotion_requests')
    expect(says).toEqual(are)
    expect(await revisionOf(ledger)).toBe(0)
    expect(ledger.filled.times).toBe(1)
  })

  test.each([false, true])(
    'for what is live already warns, and is refused where strict is %s',
    async strict => {
      const { ledger, release, request_id } = await requested({ ...PLAIN, strict })
      await priced(ledger)
      await confirmed(ledger, request_id)
      await ran(ledger, release, 5)
      const again = requestPromotion(ledger, { ...HERE, release_id: release, actor: BOB })
      const text = strict ? 'live in local already' : 'already live in local'
      if (strict)
        await expect(again).rejects.toMatchObject({ status: 400, message: expect.stringContaining(text) })
      else {
        const { result } = await again
        const { policy } = result.passed ? result.request : result
        expect(policy.warnings).toEqual([expect.stringContaining(text)])
      }
    },
  )

  test('of a workspace that asks for one approval says no more than that', async () => {
    const { ledger, request } = await requested(PLAIN)
    expect(Object.keys(request)).toHaveLength(16)
    expect(await listed(ledger)).toEqual([request])
    expect(await ledger.rows('promotion_requests')).toMatchObject([
      { expires_at: null, approvals_required: 1 },
    ])
  })

  test('is announced', async () => {
    const ledger = await plainLedger(PLAIN)
    await ledger.sql.batch([
      sql`INSERT INTO webhooks (webhook_id, url, events, enabled, secret, created_at)
        VALUES ('whk_000000000001', 'https://a.example', '["promotion.requested"]', 1, 's', 7)`,
    ])
    const release_id = await registered(ledger, '1')
    const { result } = await requestPromotion(ledger, { ...HERE, release_id, actor: ANN })
    const [delivery] = await ledger.rows('webhook_deliveries')
    expect(delivery).toMatchObject({ event: 'promotion.requested', due_at: MORNING + AHEAD_MS })
    expect(JSON.parse(String(delivery!.body)).data).toEqual({
      request_id: result.passed ? result.request.request_id : '',
      release_id,
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: null,
      window: '1h',
      actor: 'ann',
      reason: 'because',
      policy: FIRST,
    })
  })

  test('whose answer was lost is one request', async () => {
    const ledger = await plainLedger(PLAIN)
    const release_id = await registered(ledger, '1')
    const { result } = await requestPromotion(losing(ledger, 'INTO promotion_requests'), {
      ...HERE,
      release_id,
      actor: ANN,
    })
    expect(await listed(ledger)).toEqual([result.passed && result.request])
  })

  test('that another change overtakes is made behind it', async () => {
    const ledger = await plainLedger(PLAIN)
    const release_id = await registered(ledger, '1')
    const { result } = await requestPromotion(overtaken(ledger), { ...HERE, release_id, actor: ANN })
    expect(await listed(ledger)).toEqual([result.passed && result.request])
    expect(ledger.filled.times).toBe(1)
  })

  test('that the policy blocks is not made', async () => {
    const ledger = await plainLedger(PLAIN)
    await priced(ledger)
    const [one, two] = [await registered(ledger, '1'), await registered(ledger, '2')]
    await ran(ledger, one, 1)
    await ran(ledger, two, 1)
    const first = await requestPromotion(ledger, { ...HERE, release_id: one, actor: BOB })
    await confirmed(ledger, first.result.passed ? first.result.request.request_id : '')
    const { result } = await requestPromotion(ledger, { ...HERE, release_id: two, actor: BOB })
    expect(result).toMatchObject({ passed: false, policy: { passed: false, reasons: [expect.any(String)] } })
    expect(await listed(ledger, 'pending')).toEqual([])
  })
})

describe('a request that is not to be', () => {
  test.each([
    ['is cancelled', cancelPromotion, 'request.cancelled', undefined, 'is cancelled already.'],
    [
      'is rejected',
      rejectPromotion,
      'request.rejected',
      'rejected',
      'is cancelled already (rejected by ann).',
    ],
  ] as const)('%s, with who and why', async (_what, end, kind, resolution, text) => {
    const { ledger, request, request_id } = await requested(PLAIN)
    ledger.clock.now += 1000
    const cancelled = await end(ledger, { request_id, reason: 'no', actor: ANN })
    const ended = {
      ...request,
      status: 'cancelled',
      resolved_at: '2026-03-01T08:00:01.000Z',
      resolved_by: 'ann',
      resolution_reason: 'no',
      ...(resolution === undefined ? {} : { resolution }),
    }
    expect(cancelled).toEqual(ended)
    expect(await listed(ledger, 'cancelled')).toEqual([ended])
    expect((await logOf(ledger)).at(-1)).toMatchObject({
      kind,
      subject: request_id,
      actor: 'ann',
      reason: 'no',
    })
    const { says, are } = await storedRows(ledger, 'promotion_requests')
    expect(says).toEqual(are)
    expect(await revisionOf(ledger)).toBe(0)
    expect((await ledger.rows('audit_head'))[0]!.changed_by).toMatch(/^cnl_/)
    await expect(end(ledger, { request_id, reason: 'no', actor: ANN })).rejects.toThrow(
      `Promotion request ${request_id} ${text}`,
    )
  })

  test('is cancelled once where the answer was lost', async () => {
    const { ledger, request_id } = await requested(PLAIN)
    const cancellation = { request_id, reason: 'no', actor: ANN }
    const cancelled = await cancelPromotion(losing(ledger, 'SET status'), cancellation)
    expect(await listed(ledger)).toEqual([cancelled])
    expect((await logOf(ledger)).map(({ kind }) => kind)).toEqual([
      'release.registered',
      'request.made',
      'request.cancelled',
    ])
  })

  test('that nobody confirmed in time ends by itself', async () => {
    const { ledger, release, request_id } = await requested()
    await requestPromotion(ledger, { ...HERE, release_id: release, actor: ANN })
    expect(await expireRequests(ledger)).toBe(0)
    ledger.clock.now += DAY_MS
    const over = { status: 'cancelled', resolution: 'expired', resolved_at: '2026-03-02T08:00:00.250Z' }
    const before = (await listed(ledger, 'cancelled')).at(-1)!
    expect(before).toMatchObject({ ...over, resolved_by: null })
    expect(await listed(ledger, 'pending')).toEqual([])
    await expect(confirmed(ledger, request_id)).rejects.toThrow(
      `Promotion request ${request_id} expired at 2026-03-02T08:00:00.250Z: request the promotion again.`,
    )
    const revision = await revisionOf(ledger)
    expect(await expireRequests(overtaken(ledger))).toBe(2)
    expect(await expireRequests(ledger)).toBe(0)
    expect((await listed(ledger, 'cancelled')).at(-1)).toEqual({
      ...before,
      resolved_by: 'service',
      resolution_reason: 'nobody confirmed it in time',
    })
    const log = (await logOf(ledger)).slice(-2)
    expect(log.map(({ subject }) => subject)).toContain(request_id)
    for (const entry of log) {
      expect(entry).toMatchObject({
        kind: 'request.expired',
        actor: 'service',
        actor_source: 'service',
        reason: 'nobody confirmed it in time',
      })
    }
    const { are } = await storedRows(ledger, 'promotion_requests')
    const says = Object.assign({}, ...log.map(({ details }) => details.holds.promotion_requests))
    expect({ promotion_requests: says }).toEqual(are)
    expect(await revisionOf(ledger)).toBe(revision + 1)
    expect((await ledger.rows('audit_head'))[0]!.changed_by).toMatch(/^exp_/)
  })
})

test('a promotion at once is refused where approval is demanded, and a request where it is not', async () => {
  const { ledger, release } = await requested()
  const input = { ...HERE, release_id: release, actor: ANN }
  await expect(promote(ledger, input)).rejects.toThrow('This workspace requires approval')
  const plain = await plainLedger()
  await expect(requestPromotion(plain, input)).rejects.toThrow('This workspace does not require approval')
  await setPolicy(plain, DEFAULT_POLICY, { actor: ANN, reason: null })
  expect(await expireRequests(plain)).toBe(0)
})
