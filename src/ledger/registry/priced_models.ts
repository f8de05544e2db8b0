import { MINUTE_MS } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import { type PricedRelease, findReleases } from './known_releases.ts'

/** A registered release, and models that its price table lacks. */
export interface UnpricedModels {
  readonly release: PricedRelease
  readonly models: ReadonlySet<string>
}

/** How long a model is taken to have its price, ms: another server may replace the table. */
const KNOWN_MS = MINUTE_MS

/** Above this many the memo begins anew, so that odd input can't fill the memory. */
const MOST_REMEMBERED = 10_000

/** Releases that are asked for at once: their ids are one parameter. */
const AT_ONCE = 1000

/**
 * Which of the models that releases used their price tables lack, by release_id. One whose table is not imported lacks
 * none: its registration says so. A price that was found is not asked for again for a minute.
 */
export async function unpricedModels(
  { sql: db, memo: { priced }, now }: Pick<Ledger, 'sql' | 'memo' | 'now'>,
  used: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, UnpricedModels>> {
  const at = now()
  const isKnown = (release_id: string, model: string): boolean => {
    const until = priced.get(`${release_id}\0${model}`)
    return until !== undefined && until > at && until <= at + KNOWN_MS
  }
  const asked = [...used].filter(([id, models]) => [...models].some(model => !isKnown(id, model)))
  if (priced.size > MOST_REMEMBERED) priced.clear()
  const unpriced = new Map<string, UnpricedModels>()
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const release_ids = asked.slice(from, from + AT_ONCE).map(([id]) => id)
    for (const release of await findReleases(db, { release_ids, versions: [] })) {
      if (!release.hasTable) continue
      const models = [...used.get(release.release_id)!]
      const lacking = new Set(models.filter(model => !release.models.has(model)))
      for (const model of models) {
        if (!lacking.has(model)) priced.set(`${release.release_id}\0${model}`, at + KNOWN_MS)
      }
      if (lacking.size > 0) unpriced.set(release.release_id, { release, models: lacking })
    }
  }
  return unpriced
}
