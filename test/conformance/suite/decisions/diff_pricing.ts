import { describe, expect, test } from 'vitest'
import {
  PRICES,
  eventOf,
  importPrices,
  register,
  releaseOf,
  twoReleases,
} from '../../../support/services/builders.ts'
import { diff, ingest, ok } from '../../../support/services/requests.ts'
import type { CatalogState } from '../../../../src/ledger/world/ledger.ts'
import type { MakeService, ServiceOptions, TestService } from '../../../support/services/service.ts'

const CATALOG = {
  api_version: 'v1' as const,
  kind: 'PricingCatalog' as const,
  catalog_version: 'tiers-1',
  mappings: [
    { provider: 'acme', pricing_version: 'v1', model: 'm1', catalog_slot_id: 'small' },
    { provider: 'acme', pricing_version: 'v1', model: 'm2', catalog_slot_id: 'large' },
  ],
  tariffs: {
    small: { input_usd_per_1k_tokens: 0.5, output_usd_per_1k_tokens: 1 },
    large: {
      input_usd_per_1k_tokens: 3,
      output_usd_per_1k_tokens: 5,
      cached_input_usd_per_1k_tokens: 1,
    },
  },
}
const OFF = {
  catalog_version: null,
  baseline_slot_id: null,
  candidate_slot_id: null,
  baseline_cost_per_run_usd: null,
  candidate_cost_per_run_usd: null,
  delta_cost_per_run_usd: null,
}
const NO_COSTS = {
  baseline_cost_per_run_usd: null,
  candidate_cost_per_run_usd: null,
  delta_cost_per_run_usd: null,
}

/** The `pricing` part of a diff: rates, warnings, hints and the catalog. */
export function diffPricingContract(makeService: MakeService): void {
  describe('pricing on a diff', () => {
    test('crosses providers, each side priced by its own table', async () => {
      const service = await makeService()
      await importPrices(service)
      await importPrices(service, ZENITH)
      const pair = [await register(service), await registerZenith(service)] as const
      await ingest(service, [
        eventOf({ release_id: pair[0], run_id: 'a', input: 1000, output: 0 }),
        eventOf({ release_id: pair[1], run_id: 'b', provider: 'zenith', input: 1000, output: 0 }),
      ])
      const { pricing, metrics } = await ok(diff(service, pair))
      expect(metrics).toMatchObject({ baseline_cost_per_run_usd: 1, candidate_cost_per_run_usd: 10 })
      expect(pricing).toMatchObject({
        baseline_provider: 'acme',
        candidate_provider: 'zenith',
        pricing_or_model_changed: true,
        prices: { baseline_input_usd_per_1k_tokens: 1, candidate_input_usd_per_1k_tokens: 10 },
        warnings: [],
      })
    })

    test('counts a change of the price table alone as a change', async () => {
      const service = await makeService()
      await importPrices(service)
      await importPrices(service, { ...PRICES, pricing_version: 'v2' })
      const pair = [await register(service), await register(service, { pricing: 'v2' })] as const
      expect((await ok(diff(service, pair))).pricing.pricing_or_model_changed).toBe(true)
      const same = [pair[0], await register(service, { version: '9' })] as const
      expect((await ok(diff(service, same))).pricing.pricing_or_model_changed).toBe(false)
    })

    test('uses the table as it is now', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 1)
      const table = {
        ...PRICES,
        entries: PRICES.entries.map(entry => ({ ...entry, input_usd_per_1k_tokens: 10 })),
      }
      await ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'dearer' } }))
      const { metrics } = await ok(diff(service, [baseline, candidate]))
      expect(metrics).toMatchObject({ baseline_cost_per_run_usd: 11, candidate_cost_per_run_usd: 4.8 })
    })

    test('warns of a model without a price, gives null rates and hints at similar names and versions', async () => {
      const service = await makeService()
      await importPrices(service)
      await importPrices(service, { ...PRICES, pricing_version: 'v0' })
      const pair = [await register(service), await register(service, { model: 'M1-' })] as const
      await ingest(service, [eventOf({ release_id: pair[1], run_id: 'a', model: 'm1' })])
      const { pricing, policy } = await ok(diff(service, pair))
      expect(pricing.warnings).toEqual([expect.stringMatching(/candidate.*M1-.*acme\/v1/)])
      expect(pricing.prices).toMatchObject({
        baseline_input_usd_per_1k_tokens: 1,
        candidate_input_usd_per_1k_tokens: null,
        candidate_output_usd_per_1k_tokens: null,
        candidate_cached_input_usd_per_1k_tokens: null,
      })
      expect(pricing.hints).toEqual([expect.stringContaining('v0'), expect.stringContaining('m1')])
      expect(policy.reasons).toHaveLength(1)
    })

    test.each([
      ['2025-11-02', false],
      ['2025-11-01', true],
    ])('warns of a bundled table of %s: %s', async (date, stale) => {
      const service = await makeService()
      const pricing = `svc-bundled-${date}`
      await importPrices(service, { ...PRICES, pricing_version: pricing })
      const release = await register(service, { pricing })
      const { warnings } = (await ok(diff(service, [release, release]))).pricing
      expect(warnings.map((text: string) => text.includes(pricing))).toEqual(stale ? [true] : [])
    })

    test('warns of events that name another provider than the table they are priced by', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 1)
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'x', provider: 'reseller' })])
      const { warnings } = (await ok(diff(service, [baseline, candidate]))).pricing
      expect(warnings).toEqual([expect.stringMatching(/candidate.*reseller/)])
      const events = ['c', 'd', 'e', 'f'].map(name =>
        eventOf({ release_id: candidate, run_id: name, provider: name }),
      )
      await ingest(service, events)
      const { warnings: more } = (await ok(diff(service, [baseline, candidate]))).pricing
      expect(more).toEqual([expect.stringMatching(/ and 2 more, but/)])
    })
  })

  describe('the catalog on a diff', () => {
    test('is off where none is configured', async () => {
      const { catalog } = await pricingWith(makeService, { state: 'off' })
      expect(catalog).toEqual({ enabled: false, ...OFF, warnings: [] })
    })

    test('is off with a warning where it is malformed', async () => {
      const { catalog } = await pricingWith(makeService, { state: 'malformed', problem: 'no tariffs' })
      expect(catalog).toEqual({ enabled: false, ...OFF, warnings: [expect.stringContaining('no tariffs')] })
    })

    test('prices both sides by the tariffs of their slots', async () => {
      const { catalog } = await pricingWith(makeService, { state: 'on', catalog: CATALOG })
      expect(catalog).toEqual({
        enabled: true,
        catalog_version: 'tiers-1',
        baseline_slot_id: 'small',
        candidate_slot_id: 'large',
        baseline_cost_per_run_usd: 1,
        candidate_cost_per_run_usd: 2.2,
        delta_cost_per_run_usd: 1.2,
        warnings: [],
      })
    })

    test('looks a slot up by provider, version and model together', async () => {
      const others = [
        { provider: 'acme', pricing_version: 'v0', model: 'm1', catalog_slot_id: 'large' },
        { provider: 'zenith', pricing_version: 'v1', model: 'm1', catalog_slot_id: 'large' },
      ]
      const mappings = [...others, ...CATALOG.mappings]
      const { catalog } = await pricingWith(makeService, { state: 'on', catalog: { ...CATALOG, mappings } })
      expect(catalog).toMatchObject({ baseline_slot_id: 'small', candidate_slot_id: 'large' })
    })

    test.each(['m1', 'm2'])('gives no costs where the model %s has no slot', async model => {
      const mappings = CATALOG.mappings.filter(mapping => mapping.model !== model)
      const { catalog } = await pricingWith(makeService, { state: 'on', catalog: { ...CATALOG, mappings } })
      const side = model === 'm1' ? 'baseline' : 'candidate'
      expect(catalog).toMatchObject({ enabled: true, [`${side}_slot_id`]: null, ...NO_COSTS })
      expect(catalog.warnings).toEqual([expect.stringMatching(new RegExp(`${side}.*${model}`))])
    })

    test.each([
      ['baseline', 'small'],
      ['candidate', 'large'],
    ])('gives no costs where the slot of the %s has no tariff', async (side, slot) => {
      const tariffs = Object.fromEntries(Object.entries(CATALOG.tariffs).filter(([name]) => name !== slot))
      const { catalog } = await pricingWith(makeService, { state: 'on', catalog: { ...CATALOG, tariffs } })
      expect(catalog).toMatchObject({ enabled: true, [`${side}_slot_id`]: slot, ...NO_COSTS })
      expect(catalog.warnings).toEqual([expect.stringMatching(new RegExp(`${side}.*${slot}`))])
    })

    test('warns of both sides where both lack a slot', async () => {
      const catalog = { ...CATALOG, mappings: [] }
      const report = (await pricingWith(makeService, { state: 'on', catalog })).catalog
      expect(report).toEqual({
        enabled: true,
        ...OFF,
        catalog_version: 'tiers-1',
        warnings: [expect.stringContaining('baseline'), expect.stringContaining('candidate')],
      })
    })

    test('leaves events on another model out, and says how many', async () => {
      const { service, pair } = await catalogued(makeService, { state: 'on', catalog: CATALOG })
      await ingest(service, [
        eventOf({ release_id: pair[1], run_id: 'x', model: 'm1', input: 999_999 }),
        eventOf({ release_id: pair[1], run_id: 'y', model: 'm2', input: 0, output: 0, cached: 2000 }),
      ])
      const { catalog } = (await ok(diff(service, pair))).pricing
      expect(catalog).toMatchObject({
        baseline_cost_per_run_usd: 1,
        candidate_cost_per_run_usd: 2.1,
        delta_cost_per_run_usd: 1.1,
      })
      expect(catalog.warnings).toEqual([expect.stringMatching(/candidate.*\b1\b/)])
    })

    test('costs nothing on a side without events', async () => {
      const { service, pair } = await catalogued(makeService, { state: 'on', catalog: CATALOG })
      const { catalog } = (await ok(diff(service, pair, { tenant_id: 'nobody' }))).pricing
      expect(catalog).toMatchObject({
        enabled: true,
        baseline_cost_per_run_usd: 0,
        candidate_cost_per_run_usd: 0,
        delta_cost_per_run_usd: 0,
      })
    })

    test('never changes what the policy says', async () => {
      const reports = await Promise.all(
        [{ state: 'off' } as const, { state: 'on', catalog: CATALOG } as const].map(async state => {
          const { service, pair } = await catalogued(makeService, state)
          return (await ok(diff(service, pair))).policy
        }),
      )
      expect(reports[1]).toEqual(reports[0])
    })
  })
}

const ZENITH = {
  provider: 'zenith',
  pricing_version: '2026',
  entries: [{ model: 'm1', input_usd_per_1k_tokens: 10, output_usd_per_1k_tokens: 20 }],
}

async function registerZenith(service: TestService): Promise<string> {
  const artifact = releaseOf()
  const spec = {
    ...artifact.spec,
    runtime: { provider: 'zenith', model: 'm1' },
    pricing_reference: { provider: 'zenith', pricing_version: '2026' },
  }
  const body = { artifact: { ...artifact, spec }, checksum: 'b'.repeat(64) }
  return (await ok(service.call('POST /v1/releases', { body }))).release_id
}

/** Two releases whose events cost 1000 and 500, and 400 and 200, tokens a run. */
async function catalogued(
  makeService: MakeService,
  catalog: CatalogState,
): Promise<{ service: TestService; pair: readonly [string, string] }> {
  const options: ServiceOptions = { catalog }
  const service = await makeService(options)
  const { baseline, candidate } = await twoReleases(service, 1)
  return { service, pair: [baseline, candidate] }
}

async function pricingWith(makeService: MakeService, state: CatalogState) {
  const { service, pair } = await catalogued(makeService, state)
  return (await ok(diff(service, pair))).pricing
}
