import { describe, expect, test } from 'vitest'
import { PRICES, importPrices, ingestMany, releaseOf } from '../../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  failedChecks,
  ok,
  promote,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../../support/services/requests.ts'
import type { MakeService, ServiceOptions, TestService } from '../../../../support/services/service.ts'

/** When models end, and who gets the announcement. Noon of the tests is that of 2026-01-31. */
export function retirementsContract(makeService: MakeService): void {
  const say = (service: TestService, model: string, retires_on: string | null, more = {}) =>
    service.call('POST /v1/retirements', {
      body: { provider: 'acme', model, retires_on, reason: 'their page says so', ...more },
    })
  const listed = (service: TestService, query: Record<string, string | number> = {}) =>
    ok(service.call('GET /v1/retirements', { query }))
  /** m1 is live with m2 as its fallback; the candidate runs on m2. */
  async function scene({ workspace, ...options }: ServiceOptions = {}) {
    const service = await makeService({ workspace: { ...SMALL_SAMPLES, ...workspace }, ...options })
    await importPrices(service)
    const make = async (version: string, model: string, fallback?: string) => {
      const artifact = releaseOf({ version, model })
      const routing = { strategy: 'fallback_model' as const, fallback: { model: fallback! } }
      const spec = { ...artifact.spec, ...(fallback === undefined ? {} : { routing }) }
      const body = { artifact: { ...artifact, spec }, checksum: 'a'.repeat(64) }
      return (await ok(service.call('POST /v1/releases', { body }))).release_id as string
    }
    const live = await make('1', 'm1', 'm2')
    const candidate = await make('2', 'm2')
    for (const [release_id, model] of [
      [live, 'm1'],
      [candidate, 'm2'],
    ] as const) {
      await ingestMany(service, 10, { release_id, model, latency: 100 })
    }
    await ok(promote(service, live))
    return { service, live, candidate, make }
  }

  describe('the end of a model', () => {
    test('is said by hand, changed and taken back, each with its reason in the audit log', async () => {
      const { service, live } = await scene()
      expect(await listed(service)).toEqual({ live: [], models: [] })
      expect(await ok(say(service, 'm2', '2026-03-01', { actor: 'ann' }))).toMatchObject({
        retirement_id: expect.stringMatching(/^mrt_/),
        retires_on: '2026-03-01',
        actor: 'ann',
      })
      expect(await ok(say(service, 'm2', '2026-03-01'))).toMatchObject({ reused: true, actor: 'ann' })
      const end = {
        provider: 'acme',
        model: 'm2',
        retires_on: '2026-03-01',
        days_left: 29,
        said_by: 'hand',
        source: 'ann: their page says so',
      }
      const ofLive = {
        agent_id: 'bot',
        environment: 'local',
        release_id: live,
        version: '1',
        role: 'fallback',
      }
      expect(await listed(service, { all: 'true' })).toEqual({ live: [{ ...ofLive, ...end }], models: [end] })
      expect((await listed(service, { days: 28 })).live).toEqual([])
      await ok(say(service, 'm2', '2026-02-01'))
      expect((await listed(service)).live).toMatchObject([{ days_left: 1 }])
      await ok(say(service, 'm2', null))
      expect(await listed(service, { all: 'true' })).toEqual({ live: [], models: [] })
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'retirement' } }))
      expect(entries).toMatchObject([
        { details: { model: 'm2', retires_on: null } },
        { details: { model: 'm2', retires_on: '2026-02-01' } },
        { details: { model: 'm2', retires_on: '2026-03-01' }, actor: 'ann', reason: 'their page says so' },
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('comes with imported prices; what was said by hand comes first, and both are shown', async () => {
      const { service } = await scene()
      const dated = (retires_on: string) => ({
        ...PRICES,
        pricing_version: `list-${retires_on}`,
        entries: PRICES.entries.map(entry => (entry.model === 'm1' ? { ...entry, retires_on } : entry)),
        source: { format: 'litellm', sha256: 'c'.repeat(64) },
      })
      await importPrices(service, dated('2026-05-01'))
      await importPrices(service, dated('2026-04-01'))
      expect((await listed(service, { days: 60 })).live).toMatchObject([
        {
          model: 'm1',
          role: 'runtime',
          retires_on: '2026-04-01',
          said_by: 'price_list',
          source: 'price table acme/list-2026-04-01',
        },
      ])
      await ok(say(service, 'm1', '2026-06-01'))
      expect((await listed(service, { days: 365 })).live).toMatchObject([
        { retires_on: '2026-06-01', said_by: 'hand', price_list_says: '2026-04-01' },
      ])
    })

    test('is refused where it is no day, or for no reason; a name that nothing has is warned of', async () => {
      const { service } = await scene()
      for (const day of ['2026-02-30', 'soon', '2026-3-1', '']) {
        expect(await unprocessableAt(say(service, 'm1', day))).toEqual([['body', 'retires_on']])
      }
      expect(
        await unprocessableAt(
          service.call('POST /v1/retirements', { body: { provider: 'acme', model: 'm1', reason: 'x' } }),
        ),
      ).toEqual([['body', 'retires_on']])
      expect(await refusal(say(service, 'm1', '2026-03-01', { reason: ' ' }), 400)).toContain(
        'reason is required',
      )
      expect(await refusal(say(service, 'm1', null), 400)).toContain('there is nothing to remove')
      const { headers } = await say(service, 'm11', '2026-03-01')
      expect(headers.get('x-service-warning')).toBe(
        'no price table, release or run has a model m11 of acme; did you mean m1?',
      )
      for (const entry of [{ retires_on: '2026-02-30' }, { retires_at: '2026-02-28' }]) {
        const table = { ...PRICES, pricing_version: 'odd', entries: [{ ...PRICES.entries[0], ...entry }] }
        expect((await service.call('POST /v1/pricing', { body: { table } })).status).toBe(422)
      }
    })
  })

  describe('min_days_to_retirement', () => {
    test('blocks a promotion of a release whose models end too soon, by the clock of the database', async () => {
      const { service, candidate } = await scene()
      await setPolicy(service, { min_days_to_retirement: 30 })
      await ok(promote(service, candidate, { dry_run: true }))
      await ok(say(service, 'm2', '2026-03-01'))
      const reason =
        'm2 of acme ends in 29 days, on 2026-03-01: at least 30 days are demanded (min_days_to_retirement)'
      const gate = await ok(
        service.call('GET /v1/gate/bot/local', { query: { release_id: candidate, window: '1h' } }),
      )
      expect(gate).toMatchObject({ verdict: 'block', reasons: [reason] })
      const blocked = await promote(service, candidate)
      expect([blocked.status, blocked.body.detail.outcome.policy.reasons]).toEqual([409, [reason]])
      await setPolicy(service, { min_days_to_retirement: 29 })
      const { action_id } = await ok(promote(service, candidate))
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.gates).toEqual({
        min_days_to_retirement: {
          models: [
            {
              provider: 'acme',
              model: 'm2',
              retires_on: '2026-03-01',
              days_left: 29,
              source: 'http: their page says so',
              role: 'runtime',
            },
          ],
        },
      })
      const explained = await ok(service.call(`GET /v1/actions/${action_id}/explain`))
      expect(explained.equal).toBe(true)
      expect(explained.limits).toContainEqual(
        expect.objectContaining({
          policy_key: 'min_days_to_retirement',
          value: 29,
          limit: 29,
          verdict: 'pass',
        }),
      )
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('counts the days of a fallback too', async () => {
      const { service, make } = await scene()
      await setPolicy(service, { min_days_to_retirement: 30 })
      await ok(say(service, 'm2', '2026-03-01'))
      const release_id = await make('3', 'm1', 'm2')
      await ingestMany(service, 10, { release_id, model: 'm1', latency: 100 })
      const { body } = await promote(service, release_id)
      expect(body.detail.outcome.policy.reasons).toEqual([
        'm2 (fallback) of acme ends in 29 days, on 2026-03-01: at least 30 days are demanded (min_days_to_retirement)',
      ])
    })

    test('holds up neither a rollback nor a first promotion', async () => {
      const { service, candidate } = await scene()
      await setPolicy(service, { min_days_to_retirement: 30 })
      await ok(say(service, 'm2', '2025-01-01'))
      await ok(promote(service, candidate, { environment: 'prod' }))
      await ok(rollback(service, candidate))
    })

    test('decides nothing where the clocks are apart', async () => {
      const { service, candidate } = await scene()
      await setPolicy(service, { min_days_to_retirement: 30 })
      service.clock.ahead = 11 * 60_000
      expect(await refusal(promote(service, candidate), 503)).toContain('the clock is wrong')
    })
  })

  test('the doctor names what is live and ends within 90 days, and fails nothing for it', async () => {
    const { service, live } = await scene()
    await ok(say(service, 'm2', '2026-02-01'))
    const { ok: isOk, checks } = await ok(service.call('GET /v1/doctor'))
    expect(isOk).toBe(true)
    expect(checks.find(({ name }: { name: string }) => name === 'retirements')).toEqual({
      name: 'retirements',
      ok: true,
      warning: true,
      detail: `m2 (fallback) of ${live} (bot in local) ends in 1 day, on 2026-02-01 (\`svc models retirements\`)`,
    })
  })
}
