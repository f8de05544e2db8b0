import { HOUR_MS } from '../../base/time.ts'
import type { Condition } from '../../ledger/assess/parts.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, allRows, asNumber, asText, columns, mapped, orNull } from '../../sql/query.ts'
import type { Window } from '../../rules/window.ts'
import { coveredStatement } from './fed.ts'
import { STALE_RULE, type StaleSource, isStale, staleSource } from './rules_stale.ts'

/** Sources of either release that are behind the end of a window. It concerns promotions alone. */
export const CONDITION: Condition<readonly StaleSource[]> = {
  ...STALE_RULE,
  reads: (_, { action, environment, release, baseline, window }) =>
    action === 'promote' ? staleQuery(environment, [release, baseline], window) : undefined,
  found: (_, { isFirst }, _clock, stale) =>
    isFirst || stale === undefined || stale.length === 0 ? undefined : { stale_sources: stale },
}

/** The sources of these releases that are behind. */
export function staleQuery(
  environment: string,
  [one, other]: readonly [Statement, Statement],
  window: Window,
): Query<readonly StaleSource[]> {
  const [from, to] = [Math.floor(Math.max(0, window.since) / HOUR_MS), Math.ceil(window.until / HOUR_MS)]
  const statement = sql`SELECT s.source, ${coveredStatement(sql`${from}`, sql`${to}`)} AS covered_to,
      (SELECT max(h.covered_to) FROM cell_hours h WHERE h.source = s.source) AS last
    FROM cell_sources s WHERE s.source IN (
      SELECT f.source FROM cell_feeds f JOIN scopes p ON p.id = f.scope
      WHERE p.environment = ${environment} AND p.release_id IN (${one}, ${other}) AND f.from_day * 24 < ${to})
    ORDER BY s.source`
  const read = columns({ source: asText, covered_to: orNull(asNumber), last: orNull(asNumber) })
  return mapped(allRows(statement, read), rows =>
    rows.flatMap(({ source, covered_to, last }) => {
      const covered = covered_to ?? last
      return isStale(covered ?? -Infinity, window) ? [staleSource(source, covered, window)] : []
    }),
  )
}
