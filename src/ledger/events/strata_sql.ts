import { HOUR_MS } from '../../base/time.ts'
import { REST, type StrataKind } from '../../rules/strata.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'

/** Columns of sums, and the expressions that sum them up. */
type Sums = readonly (readonly [column: string, expression: string])[]

/** The roll-up of runs, or of what they used beside their own models, by the strata of a kind. */
export function strataTable(kind: StrataKind, of: 'runs' | 'parts'): string {
  return of === 'runs' ? `rollup_${kind}_hours` : `rollup_part_${kind}_hours`
}

export const STRATA_KEY = ['scope', 'bucket', 'stratum', 'variant'] as const

/**
 * {@link STRATA_KEY} and the sums of the rows that `source` (a FROM clause's rest) names. Rows are summed by name before
 * their names are looked up: there are few names.
 */
export function strataSelect(kind: StrataKind, sums: Sums, source: Statement): Statement {
  const hour = `ts / ${HOUR_MS}`
  const named = sql`SELECT scope, ${raw(hour)} AS bucket, variant, ${raw(`${kind}_id`)} AS name,
      ${raw(sums.map(([column, expression]) => `${expression} AS ${column}`).join(', '))}
    FROM ${source} GROUP BY scope, ${raw(hour)}, variant, ${raw(`${kind}_id`)}`
  return sql`SELECT n.scope, n.bucket, coalesce(t.id, ${raw(String(REST))}) AS stratum, n.variant,
      ${raw(sums.map(([column]) => `sum(n.${column}) AS ${column}`).join(', '))}
    FROM (${named}) AS n JOIN scopes s ON s.id = n.scope JOIN variants v ON v.id = n.variant
    LEFT JOIN strata t ON t.agent_id = v.agent_id AND t.environment = s.environment
      AND t.kind = ${raw(`'${kind}'`)} AND t.name = n.name
    GROUP BY n.scope, n.bucket, coalesce(t.id, ${raw(String(REST))}), n.variant`
}

/** Adds the sums of new rows to the roll-up of a kind, in the order of its keys. */
export function addStrata(kind: StrataKind, of: 'runs' | 'parts', sums: Sums, source: Statement): Statement {
  const columns = sums.map(([column]) => column)
  return addSums(
    strataTable(kind, of),
    STRATA_KEY,
    columns,
    sql`${strataSelect(kind, sums, source)} ORDER BY 1, 2, 3, 4`,
  )
}

/** Adds rows of a key and sums to those of a table. */
export function addSums(
  table: string,
  key: readonly string[],
  sums: readonly string[],
  rows: Statement,
): Statement {
  const added = sums.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
  return sql`INSERT INTO ${raw(`${table} (${[...key, ...sums].join(', ')})`)} ${rows}
    ON CONFLICT (${raw(key.join(', '))}) DO UPDATE SET ${raw(added)}`
}
