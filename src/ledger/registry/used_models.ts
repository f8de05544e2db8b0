import type { UsedModels } from '../../models/documents/release.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { pricedReleaseStatement } from './release_facts.ts'
import type { Ledger } from '../world/ledger.ts'
import { readWindow } from '../world/query.ts'
import { type Scope, inScope } from '../world/scope.ts'
import { ratesIfAny } from './pricing.ts'
import { knownRelease } from './release_facts.ts'

/**
 * Which models a release's runs used in any environment in scope, and which of them its price table has. From the roll-ups of
 * whole hours, so the first may begin before the window does.
 */
export async function usedModels(
  ledger: Ledger,
  query: { readonly release_id: string; readonly window: string; readonly scope: Scope },
): Promise<UsedModels> {
  const { window, refuseWindow } = readWindow(ledger, query)
  const since = Math.floor(Math.max(0, window.since) / HOUR_MS)
  const places = sql`SELECT id FROM scopes WHERE release_id = ${query.release_id}
    AND ${inScope(query.scope, { environment: sql`environment` })}`
  const used = (table: string, count: string): Statement => ({
    text: `SELECT variant, ${count} AS runs FROM ${table} WHERE scope IN (${places.text}) AND bucket >= ?`,
    params: [...places.params, since],
  })
  const [release, models] = await ledger.sql.snapshot([
    pricedReleaseStatement(query.release_id),
    sql`SELECT v.provider, v.model, sum(u.runs) AS runs
      FROM (${used('rollup_hours', 'runs')} UNION ALL ${used('rollup_part_hours', 'parts')}) AS u
      JOIN variants v ON v.id = u.variant
      GROUP BY v.provider, v.model ORDER BY runs DESC, v.provider, v.model`,
  ])
  const facts = knownRelease(release!.rows[0], query.release_id)
  refuseWindow()
  const rates = ratesIfAny(release!.rows[0]!)
  return {
    release_id: facts.release_id,
    since: isoTime(since * HOUR_MS),
    provider: facts.provider,
    pricing_version: facts.pricing_version,
    models: models!.rows.map(row => ({
      provider: String(row.provider),
      model: String(row.model),
      runs: Number(row.runs),
      priced: rates.has(String(row.model)),
    })),
  }
}
