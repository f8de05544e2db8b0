// Generated from src/models/documents by `npm run generate`, and never edited.
import { nameBytes, finite } from '../checks.ts'
import type { PricingCatalog } from '../documents/catalog.ts'
import { type Fields, type Known, everyValue, isFields } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): PricingCatalog | undefined {
  return isFields(value) && fits1(value) ? (value as unknown as PricingCatalog) : undefined
}

/** The fields that the model knows. */
export const KNOWN: Known = {
  "api_version": true,
  "catalog_version": true,
  "kind": true,
  "mappings": [
    {
      "catalog_slot_id": true,
      "model": true,
      "pricing_version": true,
      "provider": true
    }
  ],
  "tariffs": true
}

function fits1(value: Fields): boolean {
  return (
    (value.api_version === "v1") &&
    typeof value.catalog_version === 'string' && value.catalog_version.length >= 1 && value.catalog_version.length <= 512 && nameBytes(value.catalog_version) === undefined &&
    (value.kind === "PricingCatalog") &&
    Array.isArray(value.mappings) && value.mappings.every(item => isFields(item) && fits2(item)) &&
    isFields(value.tariffs) && fits3(value.tariffs)
  )
}

function fits2(value: Fields): boolean {
  return (
    typeof value.catalog_slot_id === 'string' && value.catalog_slot_id.length >= 1 && value.catalog_slot_id.length <= 512 && nameBytes(value.catalog_slot_id) === undefined &&
    typeof value.model === 'string' && value.model.length >= 1 && value.model.length <= 512 && nameBytes(value.model) === undefined &&
    typeof value.pricing_version === 'string' && value.pricing_version.length >= 1 && value.pricing_version.length <= 512 && nameBytes(value.pricing_version) === undefined &&
    typeof value.provider === 'string' && value.provider.length >= 1 && value.provider.length <= 512 && nameBytes(value.provider) === undefined
  )
}

function fits3(value: Fields): boolean {
  return (
    everyValue(value, field => isFields(field) && fits4(field))
  )
}

function fits4(value: Fields): boolean {
  return (
    typeof value.input_usd_per_1k_tokens === 'number' && !Number.isNaN(value.input_usd_per_1k_tokens) && value.input_usd_per_1k_tokens >= 0 && finite(value.input_usd_per_1k_tokens) === undefined &&
    typeof value.output_usd_per_1k_tokens === 'number' && !Number.isNaN(value.output_usd_per_1k_tokens) && value.output_usd_per_1k_tokens >= 0 && finite(value.output_usd_per_1k_tokens) === undefined &&
    (value.cached_input_usd_per_1k_tokens === undefined || (typeof value.cached_input_usd_per_1k_tokens === 'number' && !Number.isNaN(value.cached_input_usd_per_1k_tokens) && value.cached_input_usd_per_1k_tokens >= 0 && finite(value.cached_input_usd_per_1k_tokens) === undefined || value.cached_input_usd_per_1k_tokens === null))
  )
}
