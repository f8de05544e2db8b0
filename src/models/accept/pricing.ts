// Generated from src/models/documents by `npm run generate`, and never edited.
import { nameBytes, finite, listedOnce } from '../checks.ts'
import type { PricingTableInput } from '../documents/pricing.ts'
import { type Fields, type Known, hasOnly, isFields } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): PricingTableInput | undefined {
  return isFields(value) && fits1(value) ? (value as unknown as PricingTableInput) : undefined
}

/** The fields that the model knows. */
export const KNOWN: Known = {
  "entries": [
    {
      "input_usd_per_1k_tokens": true,
      "model": true,
      "output_usd_per_1k_tokens": true,
      "cache_write_input_usd_per_1k_tokens": true,
      "cached_input_usd_per_1k_tokens": true
    }
  ],
  "pricing_version": true,
  "provider": true,
  "source": {
    "format": true,
    "sha256": true
  }
}

const KNOWN2 = new Set(["input_usd_per_1k_tokens","model","output_usd_per_1k_tokens","cache_write_input_usd_per_1k_tokens","cached_input_usd_per_1k_tokens"])

function fits1(value: Fields): boolean {
  return (
    Array.isArray(value.entries) && value.entries.every(item => isFields(item) && fits2(item)) &&
    typeof value.pricing_version === 'string' && value.pricing_version.length >= 1 && value.pricing_version.length <= 512 && nameBytes(value.pricing_version) === undefined &&
    typeof value.provider === 'string' && value.provider.length >= 1 && value.provider.length <= 512 && nameBytes(value.provider) === undefined &&
    (value.source === undefined || isFields(value.source) && fits3(value.source)) &&
    listedOnce(value as never) === undefined
  )
}

function fits2(value: Fields): boolean {
  return (
    typeof value.input_usd_per_1k_tokens === 'number' && !Number.isNaN(value.input_usd_per_1k_tokens) && value.input_usd_per_1k_tokens >= 0 && finite(value.input_usd_per_1k_tokens) === undefined &&
    typeof value.model === 'string' && value.model.length >= 1 && value.model.length <= 512 && nameBytes(value.model) === undefined &&
    typeof value.output_usd_per_1k_tokens === 'number' && !Number.isNaN(value.output_usd_per_1k_tokens) && value.output_usd_per_1k_tokens >= 0 && finite(value.output_usd_per_1k_tokens) === undefined &&
    (value.cache_write_input_usd_per_1k_tokens === undefined || (typeof value.cache_write_input_usd_per_1k_tokens === 'number' && !Number.isNaN(value.cache_write_input_usd_per_1k_tokens) && value.cache_write_input_usd_per_1k_tokens >= 0 && finite(value.cache_write_input_usd_per_1k_tokens) === undefined || value.cache_write_input_usd_per_1k_tokens === null)) &&
    (value.cached_input_usd_per_1k_tokens === undefined || (typeof value.cached_input_usd_per_1k_tokens === 'number' && !Number.isNaN(value.cached_input_usd_per_1k_tokens) && value.cached_input_usd_per_1k_tokens >= 0 && finite(value.cached_input_usd_per_1k_tokens) === undefined || value.cached_input_usd_per_1k_tokens === null)) &&
    hasOnly(value, KNOWN2)
  )
}

function fits3(value: Fields): boolean {
  return (
    (value.format === "genai-prices" || value.format === "litellm") &&
    typeof value.sha256 === 'string' && /^[0-9a-f]{64}$/.test(value.sha256)
  )
}
