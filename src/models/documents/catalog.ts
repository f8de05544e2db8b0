import { Amount, Identifier, json } from '../scalars.ts'
import { object, said } from '../model.ts'

const Tariff = object({
  input_usd_per_1k_tokens: [Amount, 'USD per 1,000 input tokens.'],
  output_usd_per_1k_tokens: [Amount, 'USD per 1,000 output tokens.'],
  'cached_input_usd_per_1k_tokens?': [
    Amount.or('null'),
    'USD per 1,000 cached input tokens; null leaves them out.',
  ],
})

export const PricingCatalog = said(
  object({
    api_version: ["'v1'", 'Version of this format.'],
    kind: ["'PricingCatalog'", 'Kind of document.'],
    catalog_version: [Identifier, 'Named on every diff that used the catalog.'],
    mappings: object('The slot of each model of a price table.', {
      provider: [Identifier, 'Provider of the price table.'],
      pricing_version: [Identifier, 'Version of the price table.'],
      model: [Identifier, 'Model name.'],
      catalog_slot_id: [Identifier, 'Slot, a key of tariffs.'],
    }).array(),
    tariffs: [json({ '[string]': Tariff }), 'Prices by slot.'],
  }),
  'Maps priced models of any vendor to comparable slots, so that a diff can price both sides alike.',
  {
    written: true,
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
  },
)
export type PricingCatalog = typeof PricingCatalog.infer
