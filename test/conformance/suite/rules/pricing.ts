import { describe, expect, test } from 'vitest'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

/** The table as it is kept: every field present. */
const KEPT = {
  ...PRICES,
  entries: PRICES.entries.map(entry => ({ cached_input_usd_per_1k_tokens: null, ...entry })),
}
const REVISED = {
  ...PRICES,
  entries: [{ model: 'm1', input_usd_per_1k_tokens: 0, output_usd_per_1k_tokens: 0.25 }],
}

/** POST and GET /v1/pricing, GET /v1/pricing/{provider}/{pricing_version}. */
export function pricingContract(makeService: MakeService): void {
  describe('importing a price table', () => {
    test('answers with the audit record of a first import', async () => {
      const service = await makeService()
      const record = await ok(service.call('POST /v1/pricing', { body: { table: PRICES } }))
      expect(record).toEqual({
        import_id: expect.stringMatching(/^pim_[0-9a-f]{12}$/),
        provider: 'acme',
        pricing_version: 'v1',
        action: 'insert',
        actor: 'http',
        reason: null,
        old_pricing_json: null,
        new_pricing_json: expect.any(String),
        new_checksum: await sha256(record.new_pricing_json),
        created_at: '2026-01-31T12:00:00.000Z',
      })
      expect(JSON.parse(record.new_pricing_json)).toEqual(KEPT)
    })

    test('says in a header what is odd about the table, and answers with the record alone', async () => {
      const service = await makeService()
      await register(service, { model: 'm8' })
      await register(service, { model: 'mü' })
      const warningOf = async (entries: readonly object[], pricing_version = 'v1') => {
        const body = { table: { ...PRICES, pricing_version, entries }, replace: true, reason: 'again' }
        const answer = await service.call('POST /v1/pricing', { body })
        expect(answer.status).toBe(200)
        expect(answer.body).not.toHaveProperty('warnings')
        return answer.headers.get('x-service-warning')
      }
      const [m1, m2] = PRICES.entries
      const free =
        'price table acme/v1: cached input of m1 costs nothing; give cached_input_usd_per_1k_tokens, the input rate where a ' +
        'provider gives no discount'
      expect(await warningOf([m1!, m2!])).toBe(
        'price table acme/v1: m2 costs 2 USD per 1,000 input tokens, which is 2000 USD per million; if 2 is the price ' +
          `per million, write 0.002, and divide its other prices by 1,000 too; ${free}; price table acme/v1 has no price for m8, ` +
          'm_, which registered releases that name it run on',
      )
      expect(await warningOf([])).toMatch(/^price table acme\/v1 has no entries: [^;]*$/)
      expect(await warningOf([m1!], 'v2')).toBe(free.replace('v1', 'v2'))
      // Null is what somebody wrote.
      expect(await warningOf([{ ...m1!, cached_input_usd_per_1k_tokens: null }], 'v2')).toBeNull()
    })

    test('prices runs by aliases of a model, by names with and without the provider, and by those of dated builds', async () => {
      const service = await makeService()
      const [m1, m2] = PRICES.entries
      const table = {
        ...PRICES,
        entries: [
          { ...m1!, aliases: ['prod', 'eu.m*'] },
          { ...m2!, model: 'acme/m2' },
        ],
      }
      await importPrices(service, table)
      // More names than a statement has prices for in its text.
      const names = [
        'm1',
        'prod',
        'acme/m1',
        'acme/prod',
        'm1-2026-01-31',
        'acme/m1@20260131-v1:0',
        'models/m1',
        ...Array.from({ length: 20 }, (_, n) => `eu.m-${n}`),
      ]
      const [baseline, candidate] = [
        await register(service, { version: '1', model: 'prod' }),
        await register(service, { version: '2', model: 'm2' }),
      ]
      const events = names.flatMap(model => [
        eventOf({ release_id: baseline, run_id: `b${model}`, model }),
        eventOf({ release_id: candidate, run_id: `c${model}`, model: 'm2' }),
      ])
      await ok(service.call('POST /v1/events', { body: { events } }))
      const body = {
        baseline_release_id: baseline,
        candidate_release_id: candidate,
        window: '1h',
        environment: 'local',
      }
      const diff = await ok(service.call('POST /v1/diff', { body }))
      expect(diff.metrics).toMatchObject({ baseline_cost_per_run_usd: 2, candidate_cost_per_run_usd: 4 })
      expect(diff.statistics.cost_per_run_usd).toMatchObject({
        baseline_runs: names.length,
        baseline_mean: 2,
        candidate_mean: 4,
      })
      expect(diff.pricing.prices).toMatchObject({
        baseline_input_usd_per_1k_tokens: 1,
        candidate_input_usd_per_1k_tokens: 2,
      })
      const groups = { ...body, by: 'tenant', metric: 'cost_per_run_usd' }
      expect(await ok(service.call('POST /v1/diff/groups', { body: groups }))).toMatchObject({
        difference: 2,
      })
      const used = await ok(service.call(`GET /v1/releases/${baseline}/models`, { query: { window: '1h' } }))
      expect(used.models.filter(({ priced }: { priced: boolean }) => !priced)).toEqual([])
    })

    test('records no reason for a first import, whatever was sent', async () => {
      const service = await makeService()
      const body = { table: PRICES, replace: true, reason: 'to be sure' }
      expect(await ok(service.call('POST /v1/pricing', { body }))).toMatchObject({
        action: 'insert',
        reason: null,
        old_pricing_json: null,
      })
    })

    test('refuses a table that exists and leaves it alone', async () => {
      const service = await makeService()
      await importPrices(service)
      const again = service.call('POST /v1/pricing', { body: { table: REVISED } })
      expect(await refusal(again, 400)).toContain('acme/v1')
      expect(await ok(service.call('GET /v1/pricing/acme/v1'))).toEqual(KEPT)
      expect((await ok(service.call('GET /v1/pricing'))).pricing).toHaveLength(1)
    })

    test.each([undefined, null, '', ' \n\t', '\u200B\u2060'])(
      'needs a reason to replace one, not %j',
      async reason => {
        const service = await makeService()
        await importPrices(service)
        const body = { table: REVISED, replace: true, reason }
        expect(await refusal(service.call('POST /v1/pricing', { body }), 400)).toMatch(/reason/i)
        expect(await ok(service.call('GET /v1/pricing/acme/v1'))).toEqual(KEPT)
      },
    )

    test('replaces one for a reason, and the record has both tables', async () => {
      const service = await makeService()
      const first = await ok(service.call('POST /v1/pricing', { body: { table: PRICES } }))
      service.clock.now = NOON + 5000
      const second = await ok(
        service.call('POST /v1/pricing', {
          body: { table: REVISED, replace: true, reason: 'prices went down' },
          headers: { 'x-service-actor': 'ada' },
        }),
      )
      expect(second).toMatchObject({
        action: 'replace',
        actor: 'ada',
        reason: 'prices went down',
        old_pricing_json: first.new_pricing_json,
        new_checksum: await sha256(second.new_pricing_json),
        created_at: '2026-01-31T12:00:05.000Z',
      })
      expect(second.import_id).not.toBe(first.import_id)
      expect(JSON.parse(second.new_pricing_json).entries).toHaveLength(1)
      expect(JSON.parse(await ok(textOf(service.call('GET /v1/pricing/acme/v1')))).entries).toHaveLength(1)
    })

    test('of two first imports at once exactly one is taken', async () => {
      const service = await makeService()
      const answers = await Promise.all(
        [PRICES, REVISED, PRICES].map(table => service.call('POST /v1/pricing', { body: { table } })),
      )
      expect(answers.map(answer => String(answer.status)).sort()).toEqual(['200', '400', '400'])
      expect((await ok(service.call('GET /v1/metrics'))).counters.pricing_tables_total).toBe(1)
    })

    test('takes rates of 0 and a null cached rate', async () => {
      const service = await makeService()
      const table = {
        provider: 'free',
        pricing_version: '0',
        entries: [
          {
            model: 'm',
            input_usd_per_1k_tokens: 0,
            output_usd_per_1k_tokens: 0,
            cached_input_usd_per_1k_tokens: null,
          },
        ],
      }
      await importPrices(service, table)
      expect(await ok(service.call('GET /v1/pricing/free/0'))).toEqual(table)
    })

    test.each([
      ['a negative rate', '"input_usd_per_1k_tokens":-0.1', ['entries', 0, 'input_usd_per_1k_tokens']],
      ['a rate that is a text', '"input_usd_per_1k_tokens":"1"', ['entries', 0, 'input_usd_per_1k_tokens']],
      ['a null rate', '"input_usd_per_1k_tokens":null', ['entries', 0, 'input_usd_per_1k_tokens']],
      [
        'a rate beyond all numbers',
        '"input_usd_per_1k_tokens":1e999',
        ['entries', 0, 'input_usd_per_1k_tokens'],
      ],
      ['a model listed twice', '"input_usd_per_1k_tokens":1', ['entries', 1, 'model']],
      [
        'an alias that is a model',
        '"aliases":["n","m"],"input_usd_per_1k_tokens":1',
        ['entries', 0, 'aliases', 1],
      ],
    ])('refuses %s', async (_what, rate, path) => {
      const service = await makeService()
      const entry = `{"model":"m",${rate},"output_usd_per_1k_tokens":1}`
      const entries = path[1] === 1 ? `${entry},${entry}` : entry
      const body = `{"table":{"provider":"p","pricing_version":"v","entries":[${entries}]}}`
      const locs = await unprocessableAt(service.call('POST /v1/pricing', { body }))
      expect(locs).toContainEqual(['body', 'table', ...path])
      expect((await ok(service.call('GET /v1/pricing'))).pricing).toEqual([])
    })

    test.each([
      [{ pricing_version: 'v', entries: [] }, 'provider'],
      [{ provider: 'p', entries: [] }, 'pricing_version'],
      [{ provider: 'p', pricing_version: 'v' }, 'entries'],
      [{ provider: '', pricing_version: 'v', entries: [] }, 'provider'],
      [{ provider: 'p', pricing_version: 'v', entries: {} }, 'entries'],
    ])('refuses the table %j for its %s', async (table, field) => {
      const service = await makeService()
      const locs = await unprocessableAt(service.call('POST /v1/pricing', { body: { table } }))
      expect(locs).toContainEqual(['body', 'table', field])
    })

    test.each([null, [], 'acme', 1])('refuses %j in place of a table', async table => {
      const service = await makeService()
      const locs = await unprocessableAt(service.call('POST /v1/pricing', { body: { table } }))
      expect(locs[0]!.slice(0, 2)).toEqual(['body', 'table'])
    })
  })

  describe('reading price tables', () => {
    test('lists them by provider and version', async () => {
      const service = await makeService()
      for (const [provider, pricing_version] of [
        ['zeta', '1'],
        ['acme', '2'],
        ['acme', '1'],
      ]) {
        await importPrices(service, { ...PRICES, provider, pricing_version })
      }
      const { pricing } = await ok(service.call('GET /v1/pricing'))
      expect(pricing).toMatchObject([
        { provider: 'acme', pricing_version: '1', models: 2, imported_at: '2026-01-31T12:00:00.000Z' },
        { provider: 'acme', pricing_version: '2' },
        { provider: 'zeta', pricing_version: '1' },
      ])
    })

    test('tells the age of bundled tables', async () => {
      const service = await makeService()
      await importPrices(service, { ...PRICES, pricing_version: 'svc-bundled-2026-01-01' })
      await importPrices(service)
      const { pricing } = await ok(service.call('GET /v1/pricing'))
      expect(pricing).toMatchObject([
        { pricing_version: 'svc-bundled-2026-01-01', bundled: true, age_days: 30 },
        { pricing_version: 'v1', bundled: false, age_days: null },
      ])
    })

    test('shows one under names that a path has to escape', async () => {
      const service = await makeService()
      const table = { ...KEPT, provider: 'a/b c?', pricing_version: '1.0+β%20' }
      await importPrices(service, table)
      const path = [table.provider, table.pricing_version].map(encodeURIComponent).join('/')
      expect(await ok(service.call(`GET /v1/pricing/${path}`))).toEqual(table)
    })

    test('answers 404 for an unknown one and names the versions there are', async () => {
      const service = await makeService()
      await importPrices(service)
      const detail = await refusal(service.call('GET /v1/pricing/acme/v9'), 404)
      expect(detail).toContain('acme/v9')
      expect(detail).toContain('v1')
      await refusal(service.call('GET /v1/pricing/nobody/v1'), 404)
    })
  })
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('hex')
}

async function textOf<T extends { text: string }>(answer: Promise<T>): Promise<T & { body: string }> {
  const given = await answer
  return { ...given, body: given.text }
}
