import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Amount, Identifier, JsonObject } from '../scalars.ts'

const Tariff = type({
  input_usd_per_1k_tokens: Amount,
  output_usd_per_1k_tokens: Amount,
  'cached_input_usd_per_1k_tokens?': Amount.or('null'),
})

/** Comparable slots across vendors, each with one tariff. */
export const PricingCatalog = type({
  api_version: "'v1'",
  kind: "'PricingCatalog'",
  catalog_version: Identifier,
  mappings: type({
    provider: Identifier,
    pricing_version: Identifier,
    model: Identifier,
    catalog_slot_id: Identifier,
  }).array(),
  tariffs: JsonObject.and({ '[string]': Tariff }),
})
export type PricingCatalog = typeof PricingCatalog.infer

export const pricingCatalog = documented(PricingCatalog, {
  title: 'PricingCatalog',
  written: true,
  description:
    'Maps priced models of any vendor to comparable slots, so that a diff can price both sides alike.',
  fields: {
    api_version: 'Version of this format.',
    kind: 'Kind of document.',
    catalog_version: 'Named on every diff that used the catalog.',
    mappings: 'Which slot a model of a price table belongs to.',
    'mappings[].provider': 'Provider of the price table.',
    'mappings[].pricing_version': 'Version of the price table.',
    'mappings[].model': 'Model name.',
    'mappings[].catalog_slot_id': 'Slot, a key of tariffs.',
    tariffs: 'Prices by slot.',
    'tariffs.*.input_usd_per_1k_tokens': 'USD per 1,000 input tokens.',
    'tariffs.*.output_usd_per_1k_tokens': 'USD per 1,000 output tokens.',
    'tariffs.*.cached_input_usd_per_1k_tokens': 'USD per 1,000 cached input tokens; null leaves them out.',
  },
  examples: [
    {
      api_version: 'v1',
      kind: 'PricingCatalog',
      catalog_version: '2026-08-21',
      mappings: [
        {
          provider: 'openai',
          pricing_version: 'list-2026-08-21',
          model: 'gpt-4.1-mini',
          catalog_slot_id: 'small',
        },
      ],
      tariffs: { small: { input_usd_per_1k_tokens: 0.0005, output_usd_per_1k_tokens: 0.002 } },
    },
  ],
})
