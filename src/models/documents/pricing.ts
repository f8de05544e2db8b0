import { type } from 'arktype'
import { by, listedOnce } from '../checks.ts'
import { documented } from '../docs.ts'
import { Amount, Checksum, Day, Identifier, Timestamp, ofForm } from '../scalars.ts'

/** A name, or what names begin with and a star. */
const Alias = ofForm(/^[^*]{1,500}\*?$/, 'a model name, or how names begin and a star: azure/gpt-4.1*')

const Entry = type({
  model: Identifier,
  'aliases?': Alias.array().or('null'),
  input_usd_per_1k_tokens: Amount,
  output_usd_per_1k_tokens: Amount,
  'cached_input_usd_per_1k_tokens?': Amount.or('null'),
  'cache_write_input_usd_per_1k_tokens?': Amount.or('null'),
  'retires_on?': Day.or('null'),
}).onUndeclaredKey('reject')

/**
 * A price table, identified by provider and pricing_version. A model is listed once. An unknown key of an entry is
 * refused: it could be a rate, misspelt.
 */
export const PricingTable = type({
  provider: Identifier,
  pricing_version: Identifier,
  entries: Entry.array(),
  'source?': type({ format: "'litellm' | 'genai-prices'", sha256: Checksum }),
}).narrow(by(listedOnce))
export type PricingTableInput = typeof PricingTable.infer

/** A price table as it is kept. */
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

export const pricingTable = documented(PricingTable, {
  title: 'PricingTable',
  written: true,
  description: 'Prices of the models of one provider, in USD per 1,000 tokens.',
  fields: {
    provider: "Matches a release's spec.pricing_reference.provider.",
    pricing_version: "Matches a release's spec.pricing_reference.pricing_version.",
    entries: 'One entry per model.',
    source: 'The price list that the table was made of, where it was made of one.',
    'source.format': 'Whose list it is.',
    'source.sha256': 'SHA-256 of the file, lowercase hex.',
    'entries[].model': 'Model name.',
    'entries[].aliases':
      'Other names of the model, such as a deployment; `*` at the end takes all that begin so. A model of its own goes first.',
    'entries[].input_usd_per_1k_tokens': 'USD per 1,000 input tokens.',
    'entries[].output_usd_per_1k_tokens': 'USD per 1,000 output tokens.',
    'entries[].cached_input_usd_per_1k_tokens':
      'USD per 1,000 cached input tokens; null leaves cached tokens out of the cost.',
    'entries[].cache_write_input_usd_per_1k_tokens':
      'USD per 1,000 input tokens that are written to a cache, in place of the input rate; null charges the input rate.',
    'entries[].retires_on':
      'Day (UTC) on which the provider switches the model off, as the price list says; null where it does not.',
  },
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
})

/** The audit record of one import. */
export const PricingImport = type({
  import_id: /^pim_[0-9a-f]{12}$/,
  provider: Identifier,
  pricing_version: Identifier,
  action: "'insert' | 'replace'",
  actor: 'string',
  reason: 'string | null',
  old_pricing_json: 'string | null',
  new_pricing_json: 'string',
  new_checksum: Checksum,
  created_at: Timestamp,
})
export type PricingImport = typeof PricingImport.infer

export const pricingImport = documented(PricingImport, {
  title: 'PricingImport',
  description: 'The audit record of an import.',
  fields: {
    import_id: 'Identifier of the import.',
    provider: 'Provider of the table.',
    pricing_version: 'Version of the table.',
    action: 'Whether the table is new or replaced another.',
    actor: 'Who imported it.',
    reason: 'Why it was replaced; null for a first import.',
    old_pricing_json: 'The table before; null for a first import.',
    new_pricing_json: 'The table now.',
    new_checksum: 'SHA-256 of new_pricing_json, lowercase hex.',
    created_at: 'When it was imported.',
  },
})

/** GET /v1/pricing */
export const PricingSummary = type({
  provider: Identifier,
  pricing_version: Identifier,
  models: 'number.integer >= 0',
  imported_at: Timestamp,
  bundled: 'boolean',
  age_days: 'number.integer | null',
})
export type PricingSummary = typeof PricingSummary.infer

export const PricingList = type({ pricing: PricingSummary.array() })

export const pricingList = documented(PricingList, {
  title: 'PricingList',
  description: 'Imported price tables, by provider and version.',
  fields: {
    pricing: 'The tables.',
    'pricing[].provider': 'Provider of the table.',
    'pricing[].pricing_version': 'Version of the table.',
    'pricing[].models': 'Number of models it prices.',
    'pricing[].imported_at': 'When it was imported.',
    'pricing[].bundled': 'Whether it is a snapshot that ships with the service.',
    'pricing[].age_days':
      'Age of a bundled table in days; null for others, or where its version names no date.',
  },
})
