import { HOUR_MS } from '../../base/time.ts'
import { REST, type StrataKind } from '../../rules/strata.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { PART_ROLLUP } from './parts.ts'
import { RUN_SUMS } from './rollup_sql.ts'

/** What is summed by stratum: runs, or what they used beside their own models. */
export const STRATA_SOURCES = ['runs', 'parts'] as const
export type StrataSource = (typeof STRATA_SOURCES)[number]

/** The roll-up of a source by the strata of a kind. */
export function strataTable(kind: StrataKind, of: StrataSource): string {
  return of === 'runs' ? `rollup_${kind}_hours` : `rollup_part_${kind}_hours`
}

export const STRATA_KEY = ['scope', 'bucket', 'stratum', 'variant'] as const

const SUMS = { runs: RUN_SUMS, parts: PART_ROLLUP } as const

/** Where rows of a source are. */
export const STRATA_ROWS = { runs: 'run_events', parts: 'run_parts' } as const

/** The columns of sums of a source. */
export function strataSums(of: StrataSource): readonly string[] {
  return SUMS[of].map(([column]) => column)
}

/**
 * {@link STRATA_KEY} and the sums of the rows of a source that `from` (a FROM clause's rest) names. Rows are summed by name
 * before their names are looked up: there are few names. Scalar subqueries look up the whole key of the index.
 */
export function strataSelect(kind: StrataKind, of: StrataSource, from: Statement): Statement {
  const name = `${kind}_id`
  const stratum = `coalesce((SELECT t.id FROM strata t
    WHERE t.agent_id = (SELECT v.agent_id FROM variants v WHERE v.id = n.variant)
      AND t.environment = (SELECT s.environment FROM scopes s WHERE s.id = n.scope)
      AND t.kind = '${kind}' AND t.name = n.${name}), ${REST})`
  const sums = SUMS[of].map(([column, expression]) => `${expression} AS ${column}`).join(', ')
  return sql`SELECT n.scope, n.bucket, ${raw(stratum)} AS stratum, n.variant,
      ${raw(
        strataSums(of)
          .map(column => `sum(n.${column}) AS ${column}`)
          .join(', '),
      )}
    FROM (SELECT scope, ts / ${raw(String(HOUR_MS))} AS bucket, variant, ${raw(`${name}, ${sums}`)}
      FROM ${from} GROUP BY 1, 2, 3, 4) AS n
    GROUP BY 1, 2, 3, 4`
}
