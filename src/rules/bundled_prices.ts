import { DAY_MS, parseTimestamp } from '../base/time.ts'

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
