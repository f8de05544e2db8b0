import { describe, expect, test } from 'vitest'
import { jsonExport } from '../../../support/otlp/exports.ts'
import { eventOf, importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  actionsOf,
  diff,
  failedChecks,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import { resourceOf, runSpans } from '../runs/traces.ts'

const HOUR = 3_600_000
const DECLARED = { default_environment: 'local', environments: ['local', 'staging', 'prod'] }
const UNKNOWN = 'Unknown environment: prd. service.yaml declares local, staging, prod. Did you mean prod?'

/** Environments that service.yaml declares, and what it says of promotions into them. */
export function environmentsContract(makeService: MakeService): void {
  describe('an environment that is not declared', () => {
    test('is refused wherever one is named', async () => {
      const service = await makeService({ workspace: { ...DECLARED, ...SMALL_SAMPLES } })
      const { baseline, candidate } = await twoReleases(service)
      const environment = 'prd'
      const pair = { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h' }
      const run = { release_id: baseline, window: '1h', environment }
      const calls = [
        promote(service, baseline, { environment }),
        promote(service, baseline, { environment, dry_run: true }),
        rollback(service, baseline, { environment }),
        diff(service, [baseline, candidate], { environment }),
        service.call('POST /v1/diff/groups', { body: { ...pair, environment, by: 'tenant' } }),
        service.call('GET /v1/confidence', { query: { ...pair, environment } }),
        service.call('GET /v1/runs', { query: run }),
        service.call('GET /v1/runs/export', { query: run }),
        service.call('GET /v1/runs/series', { query: run }),
        service.call('GET /v1/runs/worst', { query: run }),
        service.call('GET /v1/actions', { query: { env: environment } }),
        service.call('GET /v1/policy/resolved', { query: { environment } }),
        service.call('GET /v1/policy/advice', { query: { agent_id: 'bot', environment } }),
        service.call('POST /v1/releases', {
          body: {
            artifact: (await ok(service.call(`GET /v1/releases/${baseline}`))).artifact_json,
            checksum: 'b'.repeat(64),
            environment,
          },
        }),
      ]
      for (const call of calls) expect(await refusal(call, 400)).toBe(UNKNOWN)
      expect(await actionsOf(service)).toEqual([])
      expect((await ok(service.call('GET /v1/workspace'))).environments).toEqual(DECLARED.environments)
    })

    test('refuses a whole request of events, and the runs of spans', async () => {
      const service = await makeService({ workspace: DECLARED })
      await importPrices(service)
      const release_id = await register(service)
      const events = [
        eventOf({ release_id, run_id: 'one' }),
        eventOf({ release_id, run_id: 'two', environment: 'prd' }),
      ]
      expect(await refusal(service.call('POST /v1/events', { body: { events } }), 400)).toBe(
        `Invalid RunEvent: events[1] (run_id "two") ${UNKNOWN}`,
      )
      expect(
        (await ok(service.call('GET /v1/runs', { query: { release_id, window: '1h' } }))).events,
      ).toEqual([])

      const spans = runSpans(1, NOON - 1000)
      const body = jsonExport({
        spans,
        attributes: { ...resourceOf('1'), 'deployment.environment.name': 'prd' },
      })
      const { partialSuccess } = await ok(service.call('POST /v1/traces', { body }))
      expect(partialSuccess.errorMessage).toContain(UNKNOWN)
    })

    test('is none where nothing is declared', async () => {
      const service = await makeService()
      await ok(promote(service, await register(service), { environment: 'anywhere' }))
      expect(await ok(service.call('GET /v1/workspace'))).not.toHaveProperty('environments')
    })
  })

  describe('promotes_from', () => {
    const workspace = { ...DECLARED, ...SMALL_SAMPLES, promotes_from: { prod: 'staging' } }

    test('blocks what was never live in the environment before, and records it', async () => {
      const service = await makeService({ workspace })
      const release = await register(service)
      const reason = `prod promotes from staging: ${release} was never live there (promotes_from)`
      const { status, body } = await promote(service, release, { environment: 'prod' })
      expect([status, body.detail.outcome.policy.reasons]).toEqual([409, [reason]])
      expect(await actionsOf(service)).toMatchObject([
        { environment: 'prod', policy_passed: false, policy_reasons: [reason] },
      ])
      expect(await pointerOf(service, 'bot', 'prod')).toBeUndefined()
      await ok(promote(service, release, { environment: 'staging' }))
      await ok(promote(service, release, { environment: 'prod' }))
      expect(await pointerOf(service, 'bot', 'prod')).toBe(release)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('can ask for how long it was live without a break', async () => {
      const service = await makeService({
        workspace: { ...workspace, promotes_from: { prod: { environment: 'staging', live_for: '2h' } } },
      })
      await setPolicy(service, {})
      const { baseline, candidate } = await twoReleases(service)
      const staging = { environment: 'staging' }
      const reasonsAt = async (hours: number, release: string): Promise<string[]> => {
        service.clock.now = NOON + hours * HOUR
        const outcome = await ok(promote(service, release, { environment: 'prod', dry_run: true }))
        return outcome.policy.passed ? [] : outcome.policy.reasons
      }
      const short = (release: string, time: string) => [
        `prod promotes what was live in staging for 2h: ${release} was live there for ${time} at a time (promotes_from)`,
      ]
      await ok(promote(service, baseline, staging))
      expect(await reasonsAt(1, baseline)).toEqual(short(baseline, '60 min'))
      // Promoting the live release again is no break. Promoting another one is, and the time begins again.
      await ok(promote(service, baseline, staging))
      expect(await reasonsAt(1.5, baseline)).toEqual(short(baseline, '90 min'))
      await ok(promote(service, candidate, staging))
      await ok(rollback(service, baseline, staging))
      expect(await reasonsAt(3, baseline)).toEqual(short(baseline, '90 min'))
      expect(await reasonsAt(3.5, baseline)).toEqual([])
      expect(await reasonsAt(9, candidate)).toEqual(short(candidate, '0 min'))
    })

    test('does not hold up a rollback', async () => {
      const service = await makeService({ workspace })
      await setPolicy(service, {})
      const { baseline, candidate } = await twoReleases(service)
      await ok(promote(service, baseline, { environment: 'staging' }))
      await ok(promote(service, baseline, { environment: 'prod' }))
      await ok(rollback(service, candidate, { environment: 'prod' }))
      expect(await pointerOf(service, 'bot', 'prod')).toBe(candidate)
    })
  })

  describe('a freeze', () => {
    const workspace = {
      ...SMALL_SAMPLES,
      freeze: [{ environment: 'prod', from: 'fri 16:00', to: 'mon 08:00', reason: 'nobody is there' }],
    }
    const REASON = 'prod is frozen from fri 16:00 to mon 08:00 UTC: nobody is there (freeze)'

    test('blocks promotions with its reason, which the trail keeps, and no rollbacks', async () => {
      const service = await makeService({ workspace })
      await setPolicy(service, { max_cost_per_run_usd: 0.5 })
      const { baseline, candidate } = await twoReleases(service)
      const prod = { environment: 'prod' }
      // NOON is a Saturday; Thursday is free.
      service.clock.now = NOON - 48 * HOUR
      await ok(promote(service, baseline, prod))
      service.clock.now = NOON
      await ok(promote(service, baseline))
      const { status, body } = await promote(service, candidate, prod)
      expect([status, body.detail.outcome.policy.reasons]).toEqual([409, [REASON]])
      expect((await actionsOf(service))[0]).toMatchObject({ policy_passed: false, policy_reasons: [REASON] })
      await ok(rollback(service, candidate, prod))
      expect(await pointerOf(service, 'bot', 'prod')).toBe(candidate)
      service.clock.now = NOON + 44 * HOUR
      await ok(promote(service, baseline, prod))
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('stands behind the reasons of the policy', async () => {
      const service = await makeService({
        workspace: { ...workspace, freeze: [{ ...workspace.freeze[0], environment: 'local' }] },
      })
      await setPolicy(service, { max_cost_per_run_usd: 0.5 })
      const { baseline, candidate } = await twoReleases(service)
      service.clock.now = NOON - 48 * HOUR
      await ok(promote(service, baseline))
      service.clock.now = NOON
      const { body } = await promote(service, candidate)
      expect(body.detail.outcome.policy.reasons).toEqual([
        'candidate cost_per_run_usd 1.600000 exceeds max 0.500000',
        REASON.replace('prod', 'local'),
      ])
    })

    test('blocks a request and a confirmation, which stays pending', async () => {
      const service = await makeService({ workspace: { ...workspace, promotion_requires_approval: true } })
      const release_id = await register(service)
      const body = { release_id, environment: 'prod', window: '1h', reason: 'ready' }
      expect((await service.call('POST /v1/promote/request', { body })).body.detail.policy.reasons).toEqual([
        REASON,
      ])
      service.clock.now = NOON - 48 * HOUR
      const { request_id } = await ok(service.call('POST /v1/promote/request', { body }))
      service.clock.now = NOON
      const confirmed = await service.call('POST /v1/promote/confirm', {
        body: { request_id, approval_reason: 'fine' },
      })
      expect([confirmed.status, confirmed.body.detail.outcome.policy.reasons]).toEqual([409, [REASON]])
      const { requests } = await ok(service.call('GET /v1/promotion-requests'))
      expect(requests).toMatchObject([{ request_id, status: 'pending' }])
    })
  })
}
