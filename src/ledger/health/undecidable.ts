import { type Family, gauge, gauges } from '../../base/tally.ts'
import { SqlError } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import { knownUndecidable } from '../registry/undecidable.ts'
import { EVERYTHING } from '../world/scope.ts'

/** Most releases that have a series of their own: labels are bounded. */
const MOST_NAMED = 20

/**
 * Which releases can't be decided on, and since when, as metrics. None where the ledger fails: what else a scrape tells is
 * wanted then above all.
 */
export async function undecidableFamilies(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'now' | 'log' | 'features'>,
): Promise<Family[]> {
  const found = await knownUndecidable(ledger, EVERYTHING).catch((error: unknown) => {
    if (!(error instanceof SqlError)) throw error
    ledger.log('error', 'which releases can not be decided on can not be read', { error })
    return undefined
  })
  if (found === undefined) return []
  const since = new Map<string, number>()
  for (const { release_id, ...each } of found) {
    since.set(release_id, Math.min(since.get(release_id) ?? Infinity, Date.parse(each.since) / 1000))
  }
  const oldest = [...since].toSorted(([, a], [, b]) => a - b).slice(0, MOST_NAMED)
  return [
    gauge(
      'service_releases_undecidable',
      'Releases that are live, or the newest of their place, and can not be decided on.',
      since.size,
    ),
    ...(oldest.length === 0
      ? []
      : [
          gauges(
            'service_release_undecidable_since_seconds',
            'Since when a release can not be decided on, seconds since 1970; at most 20 of them.',
            oldest.map(([release_id, seconds]) => [{ release_id }, seconds]),
          ),
        ]),
  ]
}
