import { describe, expect, test } from 'vitest'
import { eventOf, register } from '../../../support/services/builders.ts'
import {
  promotedBaseline,
  actionsOf,
  decision,
  ingest,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const FIRST = 'first promotion: no promoted baseline for agent/environment'
const BOTH = ['promote', 'rollback'] as const

const neverLive = (id: string): string =>
  `${id} was never live in local: \`svc release history --agent bot --env local\` lists the decisions`

/** POST /v1/promote and /v1/rollback: the state table, outcomes, and what is refused. */
export function decisionsContract(makeService: MakeService): void {
  describe('no pointer', () => {
    test('is listed as none', async () => {
      const service = await makeService()
      await register(service)
      expect(await ok(service.call('GET /v1/promoted'))).toEqual({ promoted: [] })
    })

    test('a promotion passes without evaluation', async () => {
      const service = await makeService()
      const release = await register(service)
      await setPolicy(service, { max_cost_per_run_usd: 0, require_high_diff_confidence: true })
      expect(await ok(promote(service, release))).toEqual({
        action_id: expect.stringMatching(/^act_[0-9a-f]{12}$/),
        action: 'promote',
        release_id: release,
        version: '1',
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: null,
        baseline_version: null,
        promoted_pointer_changed: true,
        policy: { passed: true, result: 'first', reasons: [FIRST], evaluated_at: '2026-01-31T12:00:00.000Z' },
      })
      expect(await pointerOf(service)).toBe(release)
      expect(await actionsOf(service)).toMatchObject([
        { release_id: release, baseline_release_id: null, policy_passed: true, policy_reasons: [FIRST] },
      ])
    })

    test('a rollback is refused', async () => {
      const service = await makeService()
      const release = await register(service)
      expect(await refusal(rollback(service, release), 400)).toBe(
        'No promoted release exists for this agent/environment; nothing to roll back to',
      )
      expect(await actionsOf(service)).toEqual([])
      expect(await pointerOf(service)).toBeUndefined()
    })
  })

  describe('pointer = A', () => {
    test.each(BOTH)('%s to B moves it when the policy passes', async action => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      const answer = service.call(`POST /v1/${action}`, { body: decision(candidate) })
      expect(await ok(answer)).toEqual({
        action_id: expect.stringMatching(/^act_[0-9a-f]{12}$/),
        action,
        release_id: candidate,
        version: '2',
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: baseline,
        baseline_version: '1',
        promoted_pointer_changed: true,
        policy: {
          passed: true,
          result: 'passed',
          reasons: [],
          evaluated_at: '2026-01-31T12:00:00.000Z',
          ...(action === 'rollback' ? { warnings: [neverLive(candidate)] } : {}),
        },
      })
      expect(await pointerOf(service)).toBe(candidate)
      expect((await actionsOf(service))[0]).toMatchObject({
        action,
        release_id: candidate,
        baseline_release_id: baseline,
        policy_passed: true,
        policy_reasons: [],
        audit_seq: 2,
      })
    })

    test.each([
      ['promote', 'Promotion blocked by policy.'],
      ['rollback', 'Rollback blocked by policy.'],
    ] as const)('%s to B leaves it when the policy fails, and is recorded', async (action, message) => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const answer = await service.call(`POST /v1/${action}`, { body: decision(candidate) })
      const reasons = ['candidate cost_per_run_usd 1.600000 exceeds max 1.000000']
      const wayOut = [
        'to roll back anyway: relax max_cost_per_run_usd in the policy for local',
        neverLive(candidate),
      ]
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({
        detail: {
          message,
          outcome: {
            action_id: expect.stringMatching(/^act_[0-9a-f]{12}$/),
            action,
            release_id: candidate,
            version: '2',
            agent_id: 'bot',
            environment: 'local',
            baseline_release_id: baseline,
            baseline_version: '1',
            promoted_pointer_changed: false,
            policy: {
              passed: false,
              result: 'blocked',
              reasons,
              evaluated_at: '2026-01-31T12:00:00.000Z',
              ...(action === 'rollback' ? { warnings: wayOut } : {}),
            },
          },
        },
      })
      expect(await pointerOf(service)).toBe(baseline)
      expect((await actionsOf(service))[0]).toMatchObject({
        action_id: answer.body.detail.outcome.action_id,
        action,
        release_id: candidate,
        baseline_release_id: baseline,
        policy_passed: false,
        policy_reasons: reasons,
      })
    })

    test('promoting A again is evaluated and recorded', async () => {
      const { service, baseline } = await promotedBaseline(makeService)
      expect(await ok(promote(service, baseline))).toMatchObject({
        baseline_release_id: baseline,
        policy: { passed: true, reasons: [] },
      })
      expect(await pointerOf(service)).toBe(baseline)
      expect(await actionsOf(service)).toHaveLength(2)
    })

    test('is not that of another environment or agent', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      const other = await register(service, { agent: 'other' })
      expect(await ok(promote(service, candidate, { environment: 'prod' }))).toMatchObject({
        baseline_release_id: null,
        policy: { reasons: [FIRST] },
      })
      expect(await ok(promote(service, other))).toMatchObject({
        agent_id: 'other',
        baseline_release_id: null,
      })
      expect(await ok(service.call('GET /v1/promoted'))).toEqual({
        promoted: [
          { agent_id: 'bot', environment: 'local', release_id: baseline },
          { agent_id: 'bot', environment: 'prod', release_id: candidate },
          { agent_id: 'other', environment: 'local', release_id: other },
        ],
      })
      await refusal(rollback(service, baseline, { environment: 'staging' }), 400)
    })

    test('is evaluated on the events of its environment and window, of all tenants and tasks', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      const late = { release_id: candidate, model: 'm2', success: false }
      await ingest(service, [
        eventOf({ ...late, run_id: 'elsewhere', environment: 'prod' }),
        eventOf({ ...late, run_id: 'earlier', at: NOON - 3_600_001 }),
        eventOf({ ...late, run_id: 'other-tenant', tenant_id: 't9', task_id: 'k9' }),
      ])
      await setPolicy(service, { max_error_rate: 0 })
      const { outcome } = (await promote(service, candidate)).body.detail
      expect(outcome.policy.reasons).toEqual(['candidate error_rate 0.0909 exceeds max 0.0000'])
      await setPolicy(service, { max_error_rate: 0.091 })
      await ok(promote(service, candidate))
      await setPolicy(service, { max_error_rate: 0.1 })
      await ok(rollback(service, baseline, { window: '2h' }))
    })

    test('a pass says nothing of what is missing', async () => {
      const { service, candidate } = await promotedBaseline(makeService)
      expect(await ok(promote(service, candidate))).not.toHaveProperty('missing_for_high')
    })
  })

  describe('a dry run', () => {
    test.each(BOTH)('of a %s evaluates and writes nothing', async action => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      const before = await ok(service.call('GET /v1/metrics'))
      const dryRun = () =>
        service.call(`POST /v1/${action}`, { body: decision(candidate, { dry_run: true }) })
      expect(await ok(dryRun())).toEqual({
        action_id: null,
        action,
        release_id: candidate,
        version: '2',
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: baseline,
        baseline_version: '1',
        promoted_pointer_changed: false,
        policy: {
          passed: true,
          result: 'passed',
          reasons: [],
          evaluated_at: '2026-01-31T12:00:00.000Z',
          ...(action === 'rollback' ? { warnings: [neverLive(candidate)] } : {}),
        },
        dry_run: true,
      })
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      expect(await ok(dryRun())).toMatchObject({ policy: { passed: false }, dry_run: true })
      expect(await ok(service.call('GET /v1/metrics'))).toEqual(before)
      expect(await pointerOf(service)).toBe(baseline)
    })

    test('is refused like the real thing', async () => {
      const service = await makeService()
      const release = await register(service)
      const dry = { dry_run: true }
      const blank = promote(service, release, { ...dry, reason: ' ' })
      expect(await refusal(blank, 400)).toMatch(/^Reason is required/)
      expect(await refusal(promote(service, release, { ...dry, window: 'x' }), 400)).toMatch(
        /^Invalid window/,
      )
      expect(await refusal(promote(service, 'rel_none', dry), 400)).toMatch(/^Unknown release/)
      expect(await refusal(rollback(service, release, dry), 400)).toMatch(/^No promoted release/)
    })

    test('leaves its Idempotency-Key free', async () => {
      const { service, candidate } = await promotedBaseline(makeService)
      const call = (dry_run: boolean) =>
        service.call('POST /v1/promote', {
          body: decision(candidate, { dry_run }),
          headers: { 'idempotency-key': 'k' },
        })
      await ok(call(true))
      expect(await ok(call(false))).toMatchObject({ promoted_pointer_changed: true })
    })
  })

  test('promoting and rolling back leaves a trail of all that was tried', async () => {
    const { service, baseline, candidate } = await promotedBaseline(makeService)
    await ok(promote(service, candidate, { reason: 'cheaper' }))
    await setPolicy(service, { max_latency_ms: 90 })
    expect((await rollback(service, baseline, { reason: 'try' })).status).toBe(409)
    await setPolicy(service, {})
    await ok(rollback(service, baseline, { reason: 'slow is fine' }))
    const trail = (await actionsOf(service)).map(action => [
      action.audit_seq,
      action.action,
      action.release_id,
      action.baseline_release_id,
      action.policy_passed,
      action.reason,
    ])
    expect(trail).toEqual([
      [4, 'rollback', baseline, candidate, true, 'slow is fine'],
      [3, 'rollback', baseline, candidate, false, 'try'],
      [2, 'promote', candidate, baseline, true, 'cheaper'],
      [1, 'promote', baseline, null, true, 'because'],
    ])
    expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
  })
}
