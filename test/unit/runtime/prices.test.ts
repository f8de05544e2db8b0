import { describe, expect, test } from 'vitest'
import { PricingCatalog } from '../../../src/models/documents/catalog.ts'
import { check } from '../support/check.ts'
import { problemsText } from '../../../src/models/checks.ts'
import { PricingTable } from '../../../src/models/documents/pricing.ts'
import { bundledAgeDays } from '../../../src/rules/cost.ts'
import { bundledCatalog, bundledTables } from '../../../src/runtime/node/shipped.ts'
import { parseYaml } from '../../../src/runtime/yaml.ts'

const VERSION = 'svc-bundled-2026-11-21'

const RATES = [
  'input_usd_per_1k_tokens',
  'output_usd_per_1k_tokens',
  'cached_input_usd_per_1k_tokens',
] as const

const tables = await bundledTables()
const catalogDocument = await parseYaml(await bundledCatalog(), 'catalog.yaml')
const catalog = PricingCatalog.assert(catalogDocument)

test('tables of openai, anthropic and google are bundled', () => {
  expect(tables.map(table => table.provider)).toEqual(['openai', 'anthropic', 'google'])
})

describe.for(tables.map(table => [table.provider, table] as const))('the table of %s', ([, table]) => {
  test('is a valid price table', () => {
    const checked = check(PricingTable, table)
    expect(checked.ok ? '' : problemsText(checked.problems)).toBe('')
    expect(table.entries.length).toBeGreaterThan(5)
  })

  test('names the date of its data', () => {
    expect(table.pricing_version).toBe(VERSION)
    expect(bundledAgeDays(table.pricing_version, Date.UTC(2026, 10, 21))).toBe(0)
  })

  test('is per 1,000 tokens: nothing costs 1 USD, and cached input has a price, of no more than fresh input', () => {
    const odd = table.entries.filter(
      entry =>
        entry.input_usd_per_1k_tokens >= 1 ||
        entry.output_usd_per_1k_tokens >= 1 ||
        (entry.cached_input_usd_per_1k_tokens ?? Infinity) > entry.input_usd_per_1k_tokens,
    )
    expect(odd).toEqual([])
  })
})

test('a model listed at 0.15 USD per million input tokens costs 0.00015 per thousand', () => {
  const mini = tables[0]!.entries.find(entry => entry.model === 'gpt-4o-mini')
  expect(mini).toEqual({
    model: 'gpt-4o-mini',
    input_usd_per_1k_tokens: 0.00015,
    output_usd_per_1k_tokens: 0.0006,
    cached_input_usd_per_1k_tokens: 0.000075,
  })
})

describe('the catalog', () => {
  test('is valid, and the model agrees with the quick reader', () => {
    expect(check(PricingCatalog, catalogDocument)).toEqual({ ok: true, value: catalog })
    expect(catalog.catalog_version).toBe(VERSION)
  })

  test('maps models that its tables price, each to one slot that has a tariff', () => {
    const priced = tables.flatMap(({ provider, pricing_version, entries }) =>
      entries.map(entry => `${provider}/${pricing_version}/${entry.model}`),
    )
    const mapped = catalog.mappings.map(
      ({ provider, pricing_version, model }) => `${provider}/${pricing_version}/${model}`,
    )
    expect(mapped.length).toBeGreaterThan(0)
    expect(mapped.filter(key => !priced.includes(key))).toEqual([])
    expect(new Set(mapped).size).toBe(mapped.length)
    expect(catalog.mappings.filter(mapping => !(mapping.catalog_slot_id in catalog.tariffs))).toEqual([])
  })

  describe.for(Object.entries(catalog.tariffs))('slot %s', ([slot, tariff]) => {
    const members = catalog.mappings.filter(mapping => mapping.catalog_slot_id === slot)

    test('compares at least two vendors', () => {
      expect(new Set(members.map(({ provider }) => provider)).size).toBeGreaterThan(1)
    })

    test.for(RATES)('has the median of its models as %s', rate => {
      const prices = members.map(({ provider, model }) => priceOf(provider, model)[rate])
      expect(tariff[rate]).toBeCloseTo(median(prices.filter(price => price != null)), 9)
    })
  })
})

function priceOf(provider: string, model: string) {
  return tables.find(table => table.provider === provider)!.entries.find(entry => entry.model === model)!
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}
