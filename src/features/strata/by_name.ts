import type { SumsByName } from '../../ledger/events/event_sums.ts'
import { IN_SCOPE, scopeCte } from '../../ledger/events/rollups.ts'
import { raw, sql } from '../../sql/port.ts'
import { REST, STRATA_KINDS, type StrataKind } from './rules_strata.ts'
import { strataSums, strataTable } from './tables.ts'

/** The sums of tenants or tasks by their names. An erased tenant has none, and no rows either. */
export function byName(what: string): SumsByName | undefined {
  const kind = STRATA_KINDS.find(each => each === what)
  return kind && namedSums(kind)
}

function namedSums(kind: StrataKind): SumsByName {
  const table = raw(strataTable(kind, 'runs'))
  return {
    lackingHours: (releaseId, environment, { from, to }) => {
      const within = raw(`bucket >= ${from} AND bucket < ${to}`)
      return sql`WITH ${scopeCte(releaseId, environment)}
        SELECT h.bucket FROM (
          SELECT bucket, sum(runs) AS runs FROM rollup_hours WHERE ${IN_SCOPE} AND ${within} GROUP BY bucket) AS h
        LEFT JOIN (
          SELECT bucket, sum(runs) AS runs, min(stratum) AS least FROM ${table}
          WHERE ${IN_SCOPE} AND ${within} GROUP BY bucket) AS s ON s.bucket = h.bucket
        WHERE s.runs IS NULL OR s.runs <> h.runs OR s.least = ${REST}
        ORDER BY h.bucket`
    },
    rows: ({ from, to }) => sql`(SELECT t.name, u.variant, ${raw(
      strataSums('runs')
        .map(column => `u.${column}`)
        .join(', '),
    )}
      FROM ${table} u JOIN strata t ON t.id = u.stratum
      WHERE u.${IN_SCOPE} AND u.bucket >= ${from} AND u.bucket < ${to} AND t.name IS NOT NULL)`,
  }
}
