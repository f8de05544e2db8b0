import { type } from 'arktype'
import type { ModelDocs } from './docs.ts'
import { Checksum, Identifier, Timestamp } from './text.ts'

const Entry = type({
  model: Identifier,
  input_usd_per_1k_tokens: 'number >= 0',
  output_usd_per_1k_tokens: 'number >= 0',
  'cached_input_usd_per_1k_tokens?': 'number >= 0 | null',
}).onUndeclaredKey('reject')

/** A price table, identified by provider and pricing_version. A model is listed once. */
export const PricingTable = type({
  provider: Identifier,
  pricing_version: Identifier,
  entries: Entry.array(),
})
  .onUndeclaredKey('reject')
  .narrow((table, ctx) => {
    const seen = new Set<string>()
    for (const [index, { model }] of table.entries.entries()) {
      if (seen.has(model)) {
        return ctx.reject({
          path: ['entries', String(index), 'model'],
          expected: 'listed once',
          actual: JSON.stringify(model),
        })
      }
      seen.add(model)
    }
    return true
  })

export type PricingTableInput = typeof PricingTable.infer

/** A price table as it is kept: every field present. */
export interface PricingTable {
  readonly provider: string
  readonly pricing_version: string
  readonly entries: readonly PricingEntry[]
}

/** Rates in USD per 1,000 tokens. */
export interface PricingEntry {
  readonly model: string
  readonly input_usd_per_1k_tokens: number
  readonly output_usd_per_1k_tokens: number
  readonly cached_input_usd_per_1k_tokens: number | null
}

export const pricingTableDocs: ModelDocs = {
  title: 'PricingTable',
  description: 'Prices of the models of one provider, in USD per 1,000 tokens.',
  fields: {
    provider: "Matches a release's spec.pricing_reference.provider.",
    pricing_version: "Matches a release's spec.pricing_reference.pricing_version.",
    entries: 'One entry per model.',
    'entries[].model': 'Model name.',
    'entries[].input_usd_per_1k_tokens': 'USD per 1,000 input tokens.',
    'entries[].output_usd_per_1k_tokens': 'USD per 1,000 output tokens.',
    'entries[].cached_input_usd_per_1k_tokens':
      'USD per 1,000 cached input tokens; null leaves cached tokens out of the cost.',
  },
  defaults: { 'entries[].cached_input_usd_per_1k_tokens': null },
}

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

/** An imported table as it is listed. */
export const PricingSummary = type({
  provider: Identifier,
  pricing_version: Identifier,
  models: 'number.integer >= 0',
  imported_at: Timestamp,
  bundled: 'boolean',
  age_days: 'number.integer | null',
})
export type PricingSummary = typeof PricingSummary.infer
