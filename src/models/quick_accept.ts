import type { PricingCatalog } from './documents/catalog.ts'
import type { WorkspaceConfig } from './documents/workspace.ts'
import { DATABASE_URL } from '../base/database_url.ts'
import { findBadText } from '../base/text.ts'

/**
 * Two documents are read by nearly every command, and their arktype models take longer to load than the rest of
 * the command. These functions accept what is plainly right, with the models' defaults; for anything else they
 * return undefined, and the caller asks the model, whose word is final. A property test holds the two together.
 */
export function quickWorkspace(document: unknown): WorkspaceConfig | undefined {
  const given = document ?? {}
  if (!isPlain(given) || findBadText(given) !== undefined) return undefined
  const { api_version = 'v1', kind = 'WorkspaceConfig', db_path = '.service/service.db' } = given
  const { default_environment = 'local', diff = {}, promotion_requires_approval = false } = given
  const { database_url, read_database_url, pricing_catalog_path, webhooks = {} } = given
  if (api_version !== 'v1' || kind !== 'WorkspaceConfig') return undefined
  if (!isName(db_path, Number.POSITIVE_INFINITY) || !isName(default_environment, 170)) return undefined
  if (!isDatabaseUrl(database_url) || !isDatabaseUrl(read_database_url)) return undefined
  if (pricing_catalog_path != null && typeof pricing_catalog_path !== 'string') return undefined
  if (typeof promotion_requires_approval !== 'boolean' || !isPlain(diff)) return undefined
  if (!isPlain(webhooks)) return undefined
  const { deny_private = false } = webhooks
  if (typeof deny_private !== 'boolean') return undefined
  const { min_candidate_runs = 500, min_baseline_runs = 500, min_low_runs = 50 } = diff
  if (!isCount(min_candidate_runs) || !isCount(min_baseline_runs) || !isCount(min_low_runs)) return undefined
  return {
    api_version,
    kind,
    db_path,
    ...(database_url === undefined ? {} : { database_url }),
    ...(read_database_url === undefined ? {} : { read_database_url }),
    default_environment,
    diff: { min_candidate_runs, min_baseline_runs, min_low_runs },
    ...(pricing_catalog_path === undefined ? {} : { pricing_catalog_path }),
    promotion_requires_approval,
    webhooks: { deny_private },
  }
}

function isDatabaseUrl(value: unknown): value is string | null | undefined {
  return value == null || (typeof value === 'string' && DATABASE_URL.test(value))
}

export function quickCatalog(document: unknown): PricingCatalog | undefined {
  if (!isPlain(document) || findBadText(document) !== undefined) return undefined
  const { api_version, kind, catalog_version, mappings, tariffs } = document
  if (api_version !== 'v1' || kind !== 'PricingCatalog' || !isName(catalog_version, 170)) return undefined
  if (!Array.isArray(mappings) || !mappings.every(isMapping)) return undefined
  if (!isPlain(tariffs) || !Object.values(tariffs).every(isTariff)) return undefined
  return document as PricingCatalog
}

function isMapping(value: unknown): boolean {
  return (
    isPlain(value) &&
    isName(value.provider, 170) &&
    isName(value.pricing_version, 170) &&
    isName(value.model, 170) &&
    isName(value.catalog_slot_id, 170)
  )
}

function isTariff(value: unknown): boolean {
  if (!isPlain(value)) return false
  const { input_usd_per_1k_tokens, output_usd_per_1k_tokens, cached_input_usd_per_1k_tokens } = value
  return (
    isRate(input_usd_per_1k_tokens) &&
    isRate(output_usd_per_1k_tokens) &&
    (cached_input_usd_per_1k_tokens == null || isRate(cached_input_usd_per_1k_tokens))
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Up to 170 UTF-16 units fit in 512 bytes of UTF-8, whatever they are. */
function isName(value: unknown, maxUnits: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxUnits
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isRate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}
