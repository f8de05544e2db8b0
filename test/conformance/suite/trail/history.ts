import { describe, expect, test } from 'vitest'
import { PRICES, importPrices } from '../../../support/services/builders.ts'
import { ok, refusal, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** What policies and price tables were, and who changed them. */
export function historyContract(makeService: MakeService): void {
  const history = (service: TestService, query = {}) => ok(service.call('GET /v1/policy/history', { query }))
  const diff = (service: TestService, query = {}) => service.call('GET /v1/policy/diff', { query })

  describe('the history of policies', () => {
    async function threePolicies(): Promise<TestService> {
      const service = await makeService()
      await setPolicy(service, { max_error_rate: 0.1 })
      const body = {
        policy_id: 'strict',
        max_error_rate: 0.1,
        max_latency_ms: 900,
        require_high_diff_confidence: false,
      }
      await ok(
        service.call('PUT /v1/policy', {
          query: { reason: 'too slow' },
          body,
          headers: { 'x-service-actor': 'ann' },
        }),
      )
      await setPolicy(service, { policy_id: 'strict', max_latency_ms: 900, on_inconclusive: 'pass' })
      return service
    }

    test('has every setting with who, when, why, and what it changed', async () => {
      const { policies, next_after } = await history(await threePolicies())
      expect(next_after).toBeNull()
      expect(policies.map(({ changes }: { changes: unknown }) => changes)).toEqual([
        [
          { field: 'max_error_rate', from: 0.1, to: null },
          { field: 'on_inconclusive', from: null, to: 'pass' },
        ],
        [
          { field: 'policy_id', from: 'default', to: 'strict' },
          { field: 'max_latency_ms', from: null, to: 900 },
        ],
        [
          { field: 'max_error_rate', from: null, to: 0.1 },
          { field: 'require_high_diff_confidence', from: true, to: false },
        ],
      ])
      expect(policies[1]).toMatchObject({
        policy_id: 'strict',
        actor: 'ann',
        actor_source: 'header',
        reason: 'too slow',
        created_at: '2026-01-31T12:00:00.000Z',
        policy: { policy_id: 'strict', max_latency_ms: 900 },
      })
      expect(policies[0].reason).toBeNull()
    })

    test('is read in pages, in which a change is told of the one before the page as well', async () => {
      const service = await threePolicies()
      const whole = await history(service)
      const pages = []
      let after: number | undefined
      do {
        const page = await history(service, { limit: 1, ...(after === undefined ? {} : { after }) })
        pages.push(...page.policies)
        after = page.next_after ?? undefined
      } while (after !== undefined)
      expect(pages).toEqual(whole.policies)
    })

    test('of a ledger without any is empty', async () => {
      expect(await history(await makeService())).toEqual({ policies: [], next_after: null })
    })

    test('compares any two, by default the one in force with the one before', async () => {
      const service = await threePolicies()
      const { policies } = await history(service)
      const [third, second, first] = policies.map(
        ({ policy_id, seq }: { policy_id: string; seq: number }) => `${policy_id}@${seq}`,
      )
      expect(await ok(diff(service))).toMatchObject({
        from: { seq: policies[1].seq },
        to: { seq: policies[0].seq },
        changes: policies[0].changes,
      })
      const back = await ok(diff(service, { from: third, to: first }))
      expect(back.changes).toContainEqual({ field: 'max_latency_ms', from: 900, to: null })
      expect((await ok(diff(service, { from: second }))).to.policy.on_inconclusive).toBe('pass')
      expect((await ok(diff(service, { from: first, to: first }))).changes).toEqual([])
      expect((await ok(diff(service, { to: first }))).from).toMatchObject({ seq: null, policy_id: 'default' })
    })

    test.each(['strict', 'strict@', '@1', 'strict@99', 'other@1', 'strict@1e3', 'strict@-1'])(
      'refuses %j, which is none',
      async name => {
        const service = await threePolicies()
        expect(await refusal(diff(service, { to: name }), 400)).toContain(name)
      },
    )
  })

  test('the history of price tables has every import and what it changed', async () => {
    const service = await makeService()
    await importPrices(service)
    const table = {
      ...PRICES,
      entries: [{ model: 'm1', input_usd_per_1k_tokens: 9, output_usd_per_1k_tokens: 9 }],
    }
    await ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'new list' } }))
    const query = { provider: 'acme', pricing_version: 'v1' }
    const { imports } = await ok(service.call('GET /v1/pricing/history', { query }))
    expect(imports).toMatchObject([
      { action: 'replace', reason: 'new list' },
      { action: 'insert', reason: null },
    ])
    expect(imports[0].changes[0]).toMatch(/^~ m1 {2}input .* → 9, output .* → 9/)
    expect(imports[1].changes[0]).toMatch(/^\+ m1 /)
    const others = await ok(service.call('GET /v1/pricing/history', { query: { provider: 'other' } }))
    expect(others).toEqual({ imports: [], next_after: null })
  })
}
