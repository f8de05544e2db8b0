import { describe, expect, test } from 'vitest'
import { OVER_AN_HOUR, register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  ok,
  promote,
  promotedBaseline,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const COST = 'candidate cost_per_run_usd 1.600000 exceeds max 1.500000'

/** Decisions decided again, by their own policy and by others. */
export function explainContract(makeService: MakeService): void {
  describe('an explanation', () => {
    test('shows each limit, and whether the replay equals the record', async () => {
      const { service, action_id, candidate } = await blocked(makeService)
      const explanation = await ok(service.call(`GET /v1/actions/${action_id}/explain`))
      expect(explanation).toMatchObject({
        action_id,
        audit_seq: 2,
        action: 'promote',
        release_id: candidate,
        rules_version: 1,
        policy_id: 'default',
        by: 'record',
        recorded: { passed: false, reasons: [COST] },
        replayed: { passed: false, reasons: [COST], unknown: [] },
        equal: true,
      })
      const runs = { baseline_runs: 10, candidate_runs: 10 }
      expect(explanation.limits).toEqual([
        {
          policy_key: 'max_cost_per_run_usd',
          metric: 'cost_per_run_usd',
          value: 1.6,
          limit: 1.5,
          low: null,
          high: null,
          ...runs,
          verdict: 'fail',
          passed: false,
          why: COST,
        },
        {
          policy_key: 'max_latency_ms',
          metric: 'latency_ms_avg',
          value: 80,
          limit: 100,
          low: null,
          high: null,
          ...runs,
          verdict: 'pass',
          passed: true,
          why: null,
        },
        {
          policy_key: 'require_high_diff_confidence',
          metric: 'confidence',
          value: 'HIGH',
          limit: 'HIGH',
          low: null,
          high: null,
          ...runs,
          verdict: 'pass',
          passed: true,
          why: null,
        },
        expect.objectContaining({
          policy_key: 'max_cost_increase_pct',
          value: -0.2,
          low: expect.any(Number),
          high: expect.any(Number),
          verdict: 'pass',
        }),
      ])
    })

    test('is of an audit_seq too, and 404 of what there is none of', async () => {
      const { service, action_id } = await blocked(makeService)
      expect((await ok(service.call('GET /v1/actions/2/explain'))).action_id).toBe(action_id)
      expect(await refusal(service.call('GET /v1/actions/3/explain'), 404)).toContain('audit_seq 3')
      expect(await refusal(service.call('GET /v1/actions/act_none/explain'), 404)).toContain('act_none')
    })

    test('of a first promotion has no limits', async () => {
      const { service } = await blocked(makeService)
      expect(await ok(service.call('GET /v1/actions/1/explain'))).toMatchObject({
        limits: [],
        baseline_release_id: null,
        replayed: { passed: true },
        equal: true,
      })
    })

    test('names promotes_from and freezes behind the limits', async () => {
      const service = await makeService({
        workspace: {
          promotes_from: { prod: 'staging' },
          freeze: [
            { from: 'sat 00:00', to: 'sun 00:00', reason: 'a Saturday' },
            { from: '2025-12-20', to: '2025-12-27', reason: 'holidays' },
          ],
        },
      })
      await promote(service, await register(service), { environment: 'prod' })
      const { limits, equal } = await ok(service.call('GET /v1/actions/1/explain'))
      expect(equal).toBe(true)
      expect(limits).toMatchObject([
        {
          policy_key: 'promotes_from',
          metric: 'live in staging',
          value: 'never',
          limit: 'once',
          passed: false,
        },
        { policy_key: 'freeze', limit: 'sat 00:00 to sun 00:00 UTC', verdict: 'fail', passed: false },
        { policy_key: 'freeze', limit: '2025-12-20 to 2025-12-27', verdict: 'pass', passed: true },
      ])
    })

    test('by another policy says what that would have decided, and writes nothing', async () => {
      const { service, action_id } = await blocked(makeService)
      const by = async (policy: object) =>
        ok(service.call(`POST /v1/actions/${action_id}/explain`, { body: { policy } }))
      const before = await ok(service.call('GET /v1/doctor'))
      expect(await by({ policy_id: 'lax', max_cost_per_run_usd: 2 })).toMatchObject({
        by: 'policy',
        policy_id: 'lax',
        recorded: { passed: false },
        replayed: { passed: true, reasons: [] },
        equal: false,
      })
      expect(await by({ overrides: [{ agent_id: 'b*', max_latency_ms: 50 }] })).toMatchObject({
        policy_scope: { rules: [{ override: 0, agent_id: 'b*', keys: ['max_latency_ms'] }] },
        replayed: { reasons: ['candidate latency_ms_avg 80.00 exceeds max 50 (overrides[0]: agent_id b*)'] },
        equal: true,
      })
      expect(await by({ max_latency_p95_ms: 90 })).toMatchObject({
        limits: [{}, { policy_key: 'max_latency_p95_ms', verdict: 'unknown', passed: null }],
        replayed: {
          passed: null,
          unknown: [
            "max_latency_p95_ms can't be told: it wasn't measured, because no policy limited it then",
          ],
        },
      })
      expect(await by({ max_cost_increase_pct: 1 })).toMatchObject({
        replayed: {
          passed: null,
          unknown: [
            "max_cost_increase_pct can't be told: the decision compared all runs of the window, and this policy compares " +
              'shared time',
          ],
        },
      })
      expect(await by({ min_candidate_runs: 11 })).toMatchObject({ replayed: { passed: false } })
      expect(await by({ min_candidate_runs: 0 })).toMatchObject({ replayed: { passed: true } })
      expect((await ok(service.call('GET /v1/doctor'))).checks).toEqual(before.checks)
      expect(await actionsOf(service)).toHaveLength(2)
      const refused = service.call(`POST /v1/actions/${action_id}/explain`, { body: { policy: { max: 1 } } })
      expect(await unprocessableAt(refused)).toEqual([['body', 'policy', 'max']])
    })
  })

  describe('a trial of a policy', () => {
    test('lists the actions that it would have decided otherwise, and why', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1.5, max_latency_ms: 90 })
      await promote(service, candidate)
      await setPolicy(service, {})
      await ok(promote(service, candidate))
      await ok(rollback(service, baseline))
      const policy = { max_cost_per_run_usd: 1.7, require_high_diff_confidence: false }
      const result = await trial(service, { policy })
      expect(result).toMatchObject({
        tested: 4,
        changed: 2,
        unknown: 0,
        without_evidence: 0,
        next_after: null,
      })
      expect(result.changes).toMatchObject([
        {
          audit_seq: 4,
          action: 'rollback',
          recorded: { passed: true },
          draft: { passed: false },
          why: ['candidate cost_per_run_usd 2.000000 exceeds max 1.700000'],
        },
        { audit_seq: 2, recorded: { passed: false }, draft: { passed: true, reasons: [] }, why: [COST] },
      ])
      expect(await trial(service, { policy: { max_latency_p99_ms: 1 } })).toMatchObject({
        changed: 0,
        // No rollback has such a limit.
        unknown: 2,
      })
    })

    test('takes the newest, those since a time, and those of an agent', async () => {
      const { service } = await blocked(makeService)
      const tested = async (more: object) => (await trial(service, { policy: {}, ...more })).tested
      expect(await tested({ last: 1 })).toBe(1)
      expect(await tested({ after: 2 })).toBe(1)
      expect(await tested({ agent_id: 'bot' })).toBe(2)
      expect(await tested({ agent_id: 'cat' })).toBe(0)
      expect(await tested({ environment: 'prod' })).toBe(0)
      service.clock.now += 3_600_000
      expect(await tested({ since: '30m' })).toBe(0)
      expect(await tested({ since: '2h' })).toBe(2)
      expect(await tested({ since: '2026-01-31' })).toBe(2)
      expect(await tested({ since: '2026-02-01' })).toBe(0)
      const odd = service.call('POST /v1/policy/test', { body: { policy: {}, since: 'yesterday' } })
      expect(await refusal(odd, 400)).toContain('Invalid since "yesterday"')
      const first = await trial(service, { policy: {}, last: 1 })
      expect(await trial(service, { policy: {}, last: 1, after: first.next_after })).toMatchObject({
        tested: 1,
        next_after: null,
      })
    })
  })
}

async function trial(service: TestService, body: object) {
  return ok(service.call('POST /v1/policy/test', { body }))
}

/** A promotion that was blocked for cost. */
async function blocked(makeService: MakeService) {
  const found = await promotedBaseline(makeService, OVER_AN_HOUR)
  await setPolicy(found.service, {
    max_cost_per_run_usd: 1.5,
    max_latency_ms: 100,
    max_cost_increase_pct: 0.5,
    compare_by: 'window',
    require_high_diff_confidence: true,
  })
  const { status, body } = await promote(found.service, found.candidate)
  expect(status).toBe(409)
  return { ...found, action_id: body.detail.outcome.action_id as string }
}
