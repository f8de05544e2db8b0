import { PARTS, type StrataKind, type StrataSums } from '../../rules/strata.ts'
import type { Range } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, mapped, together } from '../../sql/query.ts'
import { CELL_COLUMNS, toCellSums } from './cells.ts'
import { PART_COLUMNS, toPartSums } from './parts.ts'
import { IN_SCOPE, type SumColumns, named, scopeCte, summed } from './rollups.ts'
import { strataTable } from './strata_sql.ts'

/** Most sums of strata of a side: 500 tenants and the rest, in 8 parts of the time, of 12 models. */
const MOST_SUMS = 50_000

/**
 * The sums of a release's runs by tenant or task, in 8 parts of these hours; undefined where there are more than
 * {@link MOST_SUMS}, because the runs name very many models.
 */
export function strataQuery(
  kind: StrataKind,
  releaseId: string,
  environment: string,
  hours: Range,
): Query<StrataSums | undefined> {
  const of = (what: 'runs' | 'parts', columns: SumColumns): Statement =>
    sumsStatement(strataTable(kind, what), columns, { releaseId, environment, hours })
  const sums = together({
    cells: allRows(of('runs', CELL_COLUMNS), row => ({ ...toCellSums(row), stratum: Number(row.stratum) })),
    parts: allRows(of('parts', PART_COLUMNS), row => ({ ...toPartSums(row), stratum: Number(row.stratum) })),
  })
  return mapped(sums, found =>
    Math.max(found.cells.length, found.parts.length) > MOST_SUMS ? undefined : found,
  )
}

function sumsStatement(
  table: string,
  columns: SumColumns,
  {
    releaseId,
    environment,
    hours: { from, to },
  }: { readonly releaseId: string; readonly environment: string; readonly hours: Range },
): Statement {
  const part = raw(`(p.bucket - ${from}) * ${PARTS} / ${Math.max(1, to - from)}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${named(['block', 'stratum'], columns)}, v.agent_id, v.provider, v.model
    FROM (SELECT ${part} AS block, p.stratum, p.variant, ${summed(columns)}
      FROM ${raw(table)} p WHERE p.${IN_SCOPE} AND p.bucket >= ${from} AND p.bucket < ${to}
      GROUP BY 1, p.stratum, p.variant) AS s JOIN variants v ON v.id = s.variant
    ORDER BY s.stratum, s.block, v.agent_id, v.provider, v.model LIMIT ${MOST_SUMS + 1}`
}
