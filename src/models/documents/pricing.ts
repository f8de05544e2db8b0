import { by, listedOnce } from '../checks.ts'
import { Amount, Checksum, Day, Identifier, Timestamp, ofForm } from '../scalars.ts'
import { object, said } from '../model.ts'

/** A name, or what names begin with and a star. */
const Alias = ofForm(/^[^*]{1,500}\*?$/, 'a model name, or how names begin and a star: azure/gpt-4.1*')

const Entry = object({
  model: [Identifier, 'Model name.'],
  'aliases?': [
    Alias.array().or('null'),
    'Other names of the model, such as a deployment; a trailing `*` matches any suffix. A model of its own goes first.',
  ],
  input_usd_per_1k_tokens: [Amount, 'USD per 1,000 input tokens.'],
  output_usd_per_1k_tokens: [Amount, 'USD per 1,000 output tokens.'],
  'cached_input_usd_per_1k_tokens?': [
    Amount.or('null'),
    'USD per 1,000 cached input tokens; null leaves cached tokens out of the cost.',
  ],
  'cache_write_input_usd_per_1k_tokens?': [
    Amount.or('null'),
    'USD per 1,000 input tokens that are written to a cache, in place of the input rate; null charges the input rate.',
  ],
  'retires_on?': [
    Day.or('null'),
    'Day (UTC) on which the provider switches the model off, as in the price list; null if unknown.',
  ],
}).onUndeclaredKey('reject')

/**
 * A price table, identified by provider and pricing_version. A model is listed once. An unknown key of an entry is
 * refused: it could be a rate, misspelt.
 */
export const PricingTable = said(
  object({
    provider: [Identifier, "Matches a release's spec.pricing_reference.provider."],
    pricing_version: [Identifier, "Matches a release's spec.pricing_reference.pricing_version."],
    entries: [Entry.array(), 'One entry per model.'],
    'source?': object('The source list of the table, if there is one.', {
      format: ["'litellm' | 'genai-prices'", 'Publisher of the list.'],
      sha256: [Checksum, 'SHA-256 of the file, lowercase hex.'],
    }),
  }).narrow(by(listedOnce)),
  'Prices of the models of one provider, in USD per 1,000 tokens.',
  {
    written: true,
    defaults: {
      'entries[].cached_input_usd_per_1k_tokens': null,
      'entries[].cache_write_input_usd_per_1k_tokens': null,
    },
    examples: [
      {
        provider: 'openai',
        pricing_version: 'list-2026-08-21',
        entries: [
          {
            model: 'gpt-4.1-mini',
            input_usd_per_1k_tokens: 0.0004,
            output_usd_per_1k_tokens: 0.0016,
            cached_input_usd_per_1k_tokens: 0.0001,
          },
        ],
      },
    ],
  },
)
export type PricingTableInput = typeof PricingTable.infer

export interface PricingTable {
  readonly provider: string
  readonly pricing_version: string
  readonly entries: readonly PricingEntry[]
  /** The price list that it was made of. */
  readonly source?: { readonly format: 'litellm' | 'genai-prices'; readonly sha256: string }
}

/** Rates in USD per 1,000 tokens. */
export interface PricingEntry {
  readonly model: string
  /** Other names that it prices; with `*` at the end all that begin so. Absent where there are none. */
  readonly aliases?: readonly string[]
  readonly input_usd_per_1k_tokens: number
  readonly output_usd_per_1k_tokens: number
  readonly cached_input_usd_per_1k_tokens: number | null
  /** Of input tokens that are written to a cache; absent where they cost what other input costs. */
  readonly cache_write_input_usd_per_1k_tokens?: number
  /** The day, UTC, on which the provider switches the model off; absent where the list doesn't say. */
  readonly retires_on?: string
}

export const PricingImport = object('The audit record of an import.', {
  import_id: [/^pim_[0-9a-f]{12}$/, 'Identifier of the import.'],
  provider: [Identifier, 'Provider of the table.'],
  pricing_version: [Identifier, 'Version of the table.'],
  action: ["'insert' | 'replace'", 'Whether the table is new or replaced another.'],
  actor: ['string', 'Who imported it.'],
  reason: ['string | null', 'Why it was replaced; null for a first import.'],
  old_pricing_json: ['string | null', 'The table before; null for a first import.'],
  new_pricing_json: ['string', 'The table now.'],
  new_checksum: [Checksum, 'SHA-256 of new_pricing_json, lowercase hex.'],
  created_at: [Timestamp, 'When it was imported.'],
})
export type PricingImport = typeof PricingImport.infer

/** GET /v1/pricing */
export const PricingSummary = object({
  provider: [Identifier, 'Provider of the table.'],
  pricing_version: [Identifier, 'Version of the table.'],
  models: ['number.integer >= 0', 'Number of models it prices.'],
  imported_at: [Timestamp, 'When it was imported.'],
  bundled: ['boolean', 'Whether it is a snapshot that ships with the service.'],
  age_days: [
    'number.integer | null',
    'Age of a bundled table in days; null for others, or if its version has no date.',
  ],
})
export type PricingSummary = typeof PricingSummary.infer

export const PricingList = object('Imported price tables, by provider and version.', {
  pricing: [PricingSummary.array(), 'The tables.'],
})
