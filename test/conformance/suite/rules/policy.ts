import { describe, expect, test } from 'vitest'
import { ok, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const DEFAULT = {
  policy_id: 'default',
  max_cost_per_run_usd: null,
  max_latency_ms: null,
  max_error_rate: null,
  min_candidate_runs: null,
  min_baseline_runs: null,
  min_low_runs: null,
  require_high_diff_confidence: true,
}

/** GET and PUT /v1/policy. */
export function policyContract(makeService: MakeService): void {
  const put = (service: TestService, body: unknown) => service.call('PUT /v1/policy', { body })
  const active = (service: TestService) => ok(service.call('GET /v1/policy'))

  describe('the policy', () => {
    test('is the default one until one is set', async () => {
      expect(await active(await makeService())).toEqual(DEFAULT)
    })

    test('that is set is in force, with defaults for what it leaves out', async () => {
      const service = await makeService()
      const policy = { policy_id: 'prod', max_cost_per_run_usd: 0.01, max_latency_ms: 1500 }
      expect(await ok(put(service, policy))).toEqual({ ...DEFAULT, ...policy })
      expect(await active(service)).toEqual({ ...DEFAULT, ...policy })
    })

    test('that lets much through is set, with a warning of what it lets through', async () => {
      const service = await makeService()
      const loose = {
        max_cost_increase_pct: 2,
        max_latency_increase_pct: 0.1,
        overrides: [{ environment: 'local', max_error_rate_increase: 0.2 }],
      }
      const answer = await put(service, loose)
      expect(answer.status).toBe(200)
      const warnings = [
        'max_cost_increase_pct 2: cost may rise by up to 200 %; if 2 % was meant, write 0.02',
        'overrides[0].max_error_rate_increase 0.2: error rate may rise by up to 20 points; if 0.2 % was meant, write 0.002',
      ]
      expect(answer.headers.get('x-service-warning')).toContain(warnings.join('; '))
      const tested = await ok(service.call('POST /v1/policy/test', { body: { policy: loose } }))
      expect(tested.warnings.slice(0, 2)).toEqual(warnings)
      expect(tested.limits).toEqual([
        'cost may rise by up to 200 %',
        'latency may rise by up to 10 %',
        'error rate may rise by up to 20 points (overrides[0]: environment local)',
      ])
      expect((await put(service, { max_cost_increase_pct: 0.2 })).headers.get('x-service-warning')).toBeNull()
    })

    test('may be empty, and may set every field', async () => {
      const service = await makeService()
      expect(await ok(put(service, {}))).toEqual(DEFAULT)
      const full = {
        policy_id: 'full',
        max_cost_per_run_usd: 0,
        max_latency_ms: 0,
        max_error_rate: 1,
        min_candidate_runs: 0,
        min_baseline_runs: 1,
        min_low_runs: 2,
        require_high_diff_confidence: false,
      }
      expect(await ok(put(service, full))).toEqual(full)
      expect(await active(service)).toEqual(full)
    })

    test('with the same id is overwritten in place: what it leaves out is off again', async () => {
      const service = await makeService()
      await ok(put(service, { policy_id: 'p', max_error_rate: 0.5, max_latency_ms: 100 }))
      await ok(put(service, { policy_id: 'p', max_error_rate: 0.1 }))
      expect(await active(service)).toEqual({ ...DEFAULT, policy_id: 'p', max_error_rate: 0.1 })
    })

    test('that was set last is in force, whichever id it has', async () => {
      const service = await makeService()
      for (const policy_id of ['a', 'b', 'a', 'default', 'b']) {
        await ok(put(service, { policy_id }))
        expect(await active(service)).toMatchObject({ policy_id })
      }
    })

    test('that was set last is in force even after the clock was set back', async () => {
      const service = await makeService()
      await ok(put(service, { policy_id: 'a' }))
      service.clock.now = NOON - 3_600_000
      await ok(put(service, { policy_id: 'b' }))
      expect(await active(service)).toMatchObject({ policy_id: 'b' })
    })

    test.each([
      ['max_cost_per_run_usd', '-0.01'],
      ['max_cost_per_run_usd', '"1"'],
      ['max_cost_per_run_usd', '1e999'],
      ['max_latency_ms', '1.5'],
      ['max_latency_ms', '-1'],
      ['max_error_rate', '1.0001'],
      ['max_error_rate', '-0.1'],
      ['max_error_rate', 'true'],
      ['min_candidate_runs', '-1'],
      ['min_baseline_runs', '0.5'],
      ['min_low_runs', '"50"'],
      ['require_high_diff_confidence', '"yes"'],
      ['require_high_diff_confidence', 'null'],
      ['policy_id', '""'],
      ['policy_id', 'null'],
    ])('refuses %s: %s and stays as it was', async (field, value) => {
      const service = await makeService()
      expect(await unprocessableAt(put(service, `{"${field}":${value}}`))).toEqual([['body', field]])
      expect(await active(service)).toEqual(DEFAULT)
    })

    test('refuses an unknown key: a typo must not switch a gate off', async () => {
      const service = await makeService()
      const locs = await unprocessableAt(put(service, { max_costs_per_run_usd: 0.01, max_latency_ms: 10 }))
      expect(locs).toEqual([['body', 'max_costs_per_run_usd']])
      expect(await active(service)).toEqual(DEFAULT)
    })

    test.each(['[]', 'null', '"default"', '7', 'true'])('refuses %s in place of a policy', async text => {
      const service = await makeService()
      expect(await unprocessableAt(put(service, text))).toEqual([['body']])
      expect(await active(service)).toEqual(DEFAULT)
    })

    test('takes no harm from a key named __proto__', async () => {
      const service = await makeService()
      const text = '{"__proto__":{"require_high_diff_confidence":false}}'
      expect(await unprocessableAt(put(service, text))).toEqual([['body', '__proto__']])
      expect(await active(service)).toEqual(DEFAULT)
    })
  })
}
