import { describe, expect, test } from 'vitest'
import { twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  diff,
  failedChecks,
  ok,
  promote,
  promotedBaseline,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const OVERRIDES = [
  { environment: 'local', max_cost_per_run_usd: 1.5, require_high_diff_confidence: false },
  { agent_id: 'bot', environment: 'local', max_latency_ms: 50 },
  { environment: 'prod', max_cost_per_run_usd: 0.1 },
]
const RULES = [
  { override: 0, environment: 'local', keys: ['max_cost_per_run_usd', 'require_high_diff_confidence'] },
  { override: 1, agent_id: 'bot', environment: 'local', keys: ['max_latency_ms'] },
]
const REASONS = [
  'candidate cost_per_run_usd 1.600000 exceeds max 1.500000 (overrides[0]: environment local)',
  'candidate latency_ms_avg 80.00 exceeds max 50 (overrides[1]: agent_id bot, environment local)',
]

const HOLIDAYS = { from: '2026-12-20', to: '2027-01-04', reason: 'holidays' }

/** A policy that says other things of some agents and environments. */
export function overridesContract(makeService: MakeService): void {
  describe('overrides of a policy', () => {
    test('decide where they hold, and are told in diff, outcome and evidence', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 9, overrides: OVERRIDES })
      const scope = {
        policy_checksum: await checksumOf(service),
        rules: RULES,
        policy: expect.objectContaining({ max_cost_per_run_usd: 1.5, max_latency_ms: 50 }),
      }
      const report = await ok(diff(service, [baseline, candidate]))
      expect(report.policy.reasons).toEqual(REASONS)
      expect(report.policy_scope).toEqual(scope)
      expect(report.policy_scope.policy).not.toHaveProperty('overrides')

      const { status, body } = await promote(service, candidate)
      expect([status, body.detail.outcome.policy.reasons]).toEqual([409, REASONS])
      expect(body.detail.outcome.policy_scope).toEqual(scope)
      const [{ action_id } = { action_id: '' }] = await actionsOf(service)
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id as string}`))
      const { policy, ...resolved } = scope
      expect(evidence).toMatchObject({ rules_version: 1, policy, policy_scope: resolved })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('for what the ledger knows nothing of are told, before and after they are set', async () => {
      const service = await makeService({ workspace: { freeze: [{ environment: 'locl', ...HOLIDAYS }] } })
      const overrides = [
        { environment: 'LOCAL', max_error_rate: 0.01 },
        { agent_id: 'bo*', environment: 'local', max_error_rate: 0.02 },
        { agent_id: 'bööt', max_latency_ms: 5 },
      ]
      const put = () => service.call('PUT /v1/policy', { body: { overrides } })
      const places = async (): Promise<string | undefined> => {
        const { ok: isWell, checks } = await ok(service.call('GET /v1/doctor'))
        expect(isWell).toBe(true)
        const found = checks.find(({ name }: { name: string }) => name === 'places')
        return found === undefined ? undefined : `${found.warning} ${found.detail}`
      }
      // Rules may come before all that they are for.
      expect((await put()).headers.get('x-service-warning')).toBeNull()
      expect(await places()).toBeUndefined()

      await twoReleases(service)
      const nowhere = [
        'overrides[0] matches nothing yet: there is nothing in environment LOCAL; did you mean local?',
        'overrides[2] matches nothing yet: there is nothing of agent bööt; did you mean bot?',
      ]
      const { warnings } = await ok(service.call('POST /v1/policy/test', { body: { policy: { overrides } } }))
      expect(warnings).toEqual(nowhere)
      expect((await put()).headers.get('x-service-warning')).toBe(nowhere.join('; ').replaceAll('ö', '_'))
      expect(await places()).toBe(
        `true ${nowhere.map(text => `policy: ${text}`).join('; ')}; service.yaml: freeze[0] matches nothing yet: ` +
          'there is nothing in environment locl; did you mean local?',
      )
      const known = { policy: { overrides: overrides.slice(1, 2) } }
      expect(await ok(service.call('POST /v1/policy/test', { body: known }))).not.toHaveProperty('warnings')
    })

    test('for what is unknown are not told to whoever may not know what there is', async () => {
      const service = await makeService()
      await twoReleases(service)
      const body = { policy: { overrides: [{ environment: 'LOCAL', max_latency_ms: 5 }] } }
      const tokens = [await grant(service, 'all', { role: 'read' })]
      tokens.push(await grant(service, 'some', { role: 'read', agents: ['other'] }))
      const answers = tokens.map(token => bearing(service, token).call('POST /v1/policy/test', { body }))
      expect((await Promise.all(answers.map(ok))).map(answer => answer.warnings?.length)).toEqual([
        1,
        undefined,
      ])
    })

    test('are for environments that are declared, whether something was there yet or not', async () => {
      const service = await makeService({ workspace: { environments: ['local', 'prod'] } })
      await twoReleases(service)
      const overrides = ['prod', 'prd'].map(environment => ({ environment, max_latency_ms: 5 }))
      const { warnings } = await ok(service.call('POST /v1/policy/test', { body: { policy: { overrides } } }))
      expect(warnings).toEqual([
        'overrides[1] matches nothing yet: there is nothing in environment prd; did you mean prod?',
      ])
    })

    test('change nothing where they do not hold', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, { overrides: [{ environment: 'prod', max_cost_per_run_usd: 0.1 }] })
      const report = await ok(diff(service, [baseline, candidate]))
      expect(report.policy).toEqual({
        passed: true,
        result: 'passed',
        reasons: [],
        evaluated_at: expect.any(String),
      })
      expect(report.policy_scope.rules).toEqual([])
      expect((await ok(promote(service, candidate))).policy.passed).toBe(true)
    })

    test('set the sample sizes that confidence takes', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, {
        require_high_diff_confidence: true,
        overrides: [{ environment: 'local', min_candidate_runs: 11 }],
      })
      const { samples, policy } = await ok(diff(service, [baseline, candidate]))
      expect(samples.confidence_reason).toBe('candidate sample < 11 runs')
      expect(policy.reasons).toEqual([
        'diff confidence is MEDIUM (candidate sample < 11 runs); promotion requires HIGH ' +
          '(overrides[0]: environment local)',
      ])
      const reach = await ok(
        service.call('GET /v1/confidence', {
          query: { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h' },
        }),
      )
      expect(reach.thresholds.min_candidate_runs).toBe(11)
    })

    test('are shown for a place', async () => {
      const service = await makeService({
        workspace: {
          environments: ['local', 'prod'],
          promotes_from: { prod: { environment: 'local', live_for: '2h' } },
          freeze: [
            { environment: 'p*', from: 'sat 00:00', to: 'mon 00:00', reason: 'weekend' },
            { from: '2025-12-20', to: '2025-12-27', reason: 'holidays' },
          ],
        },
      })
      await setPolicy(service, { max_cost_per_run_usd: 9, overrides: OVERRIDES })
      const shown = (query: Record<string, string>) => ok(service.call('GET /v1/policy/resolved', { query }))
      const stored = await ok(service.call('GET /v1/policy'))
      const { overrides: _, ...document } = stored
      expect(await shown({ agent_id: 'bot' })).toEqual({
        agent_id: 'bot',
        environment: 'local',
        policy_checksum: await checksumOf(service),
        rules: RULES,
        policy: { ...document, max_cost_per_run_usd: 1.5, max_latency_ms: 50 },
        promotes_from: null,
        freeze: [{ from: '2025-12-20', to: '2025-12-27', reason: 'holidays', holds_now: false }],
      })
      expect(await shown({ environment: 'prod' })).toMatchObject({
        agent_id: null,
        rules: [{ override: 2, environment: 'prod', keys: ['max_cost_per_run_usd'] }],
        promotes_from: { environment: 'local', live_for: '2h' },
        freeze: [{ environment: 'p*', holds_now: new Date(NOON).getUTCDay() === 6 }, { holds_now: false }],
      })
    })

    test('are refused where two are equally specific, and nothing is set', async () => {
      const service = await makeService()
      const overrides = [
        { environment: 'prod', max_latency_ms: 1 },
        { agent_id: 'bot', max_latency_ms: 2 },
      ]
      const refused = service.call('PUT /v1/policy', { body: { overrides } })
      expect(await unprocessableAt(refused)).toEqual([['body', 'overrides', 1, 'max_latency_ms']])
      expect(await ok(service.call('GET /v1/policy'))).not.toHaveProperty('overrides')
    })
  })
}

/** Of the policy in force as it was stored. */
async function checksumOf(service: TestService): Promise<string> {
  const text = JSON.stringify(await ok(service.call('GET /v1/policy')))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('hex')
}
