import { firstFew } from '../base/text.ts'
import type { PricingTable } from '../models/documents/pricing.ts'
import { DAY_MS, parseTimestamp } from '../base/time.ts'

/** Above this many USD per 1,000 input tokens a price is likely one per million: no vendor charges 1,000 USD per million. */
const MOST_LIKELY_USD = 1

/** A price table as far as it can be odd. */
export type PricedEntries = Pick<PricingTable, 'provider' | 'pricing_version'> & {
  readonly entries: readonly { readonly model: string; readonly input_usd_per_1k_tokens: number }[]
}

/** What is odd about a price table, a sentence each: it has no entries, or prices that are likely per million tokens. */
export function oddPrices({ provider, pricing_version, entries }: PricedEntries): string[] {
  const table = `price table ${provider}/${pricing_version}`
  if (entries.length === 0) {
    return [`${table} has no entries: a diff of a release that names it is refused as soon as there are runs`]
  }
  const [first, ...others] = entries.filter(entry => entry.input_usd_per_1k_tokens > MOST_LIKELY_USD)
  if (first === undefined) return []
  const { model, input_usd_per_1k_tokens: usd } = first
  const more =
    others.length === 0
      ? ''
      : `, and ${firstFew(others.map(entry => entry.model))} cost more than ${MOST_LIKELY_USD} too`
  return [
    `${table}: ${model} costs ${usd} USD per 1,000 input tokens, which is ${short(1000 * usd)} USD per million${more}; ` +
      `if ${usd} is the price per million, write ${short(usd / 1000)}, and divide its other prices by 1,000 too`,
  ]
}

/** What a release has to mind of its price table, which is undefined where none is imported. */
export function modelWarnings(
  {
    provider,
    pricing_version,
    model,
  }: Pick<PricingTable, 'provider' | 'pricing_version'> & { readonly model: string },
  table: PricedEntries | undefined,
): string[] {
  const name = `price table ${provider}/${pricing_version}`
  if (table === undefined) {
    return [`${name} is not imported yet; a diff needs it (svc pricing import PATH)`]
  }
  const own = table.entries.filter(entry => entry.model === model)
  if (own.length > 0) return oddPrices({ ...table, entries: own })
  return [
    `${name} has no price for ${model}, the model of this release; a diff needs one ` +
      '(svc pricing import PATH --replace --reason WHY)',
  ]
}

function short(usd: number): string {
  return String(Number(usd.toPrecision(12)))
}

/** Price tables whose version starts so are snapshots that ship with the service. */
export const BUNDLED_PREFIX = 'svc-bundled-'

/** Age in days after which a bundled snapshot is stale, unless the caller names another. */
export const STALE_AFTER_DAYS = 90

/**
 * Age in whole days of a bundled table, from the date its version ends with; undefined for a table that
 * is not bundled, null for a bundled one whose version names no date.
 */
export function bundledAgeDays(pricingVersion: string, now: number): number | null | undefined {
  if (!pricingVersion.startsWith(BUNDLED_PREFIX)) return undefined
  const date = parseTimestamp(`${pricingVersion.slice(BUNDLED_PREFIX.length)}T00:00:00Z`)
  return date === undefined ? null : Math.floor((now - date.ms) / DAY_MS)
}

/** Whether a bundled table is older than `maxAgeDays`, or of unknown age. */
export function isStale(ageDays: number | null, maxAgeDays: number): boolean {
  return ageDays === null || ageDays > maxAgeDays
}
