import { PARTS, type StrataKind, type StrataSums } from '../../rules/strata.ts'
import type { Range } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asNumber, field, mapped, together } from '../../sql/query.ts'
import { CELL_COLUMNS, toCellSums } from './cells.ts'
import { PART_COLUMNS, toPartSums } from './parts.ts'
import { IN_SCOPE, type SumColumns, named, scopeCte, summed } from './rollups.ts'
import {
  STRATA_KEY,
  STRATA_ROWS,
  type StrataSource,
  strataSelect,
  strataSums,
  strataTable,
} from './strata_sql.ts'
import { HOUR_MS } from '../../base/time.ts'

const readStratum = field('stratum', asNumber)

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
  const read = { releaseId, environment, hours }
  const sums = together({
    cells: allRows(sumsStatement(kind, 'runs', CELL_COLUMNS, read), row => ({
      ...toCellSums(row),
      stratum: readStratum(row),
    })),
    parts: allRows(sumsStatement(kind, 'parts', PART_COLUMNS, read), row => ({
      ...toPartSums(row),
      stratum: readStratum(row),
    })),
  })
  return mapped(sums, found =>
    Math.max(found.cells.length, found.parts.length) > MOST_SUMS ? undefined : found,
  )
}

/** Hours that are not summed yet are summed from their rows. */
function sumsStatement(
  kind: StrataKind,
  of: StrataSource,
  columns: SumColumns,
  {
    releaseId,
    environment,
    hours: { from, to },
  }: { readonly releaseId: string; readonly environment: string; readonly hours: Range },
): Statement {
  const part = raw(`(p.bucket - ${from}) * ${PARTS} / ${Math.max(1, to - from)}`)
  const within = raw(`bucket >= ${from} AND bucket < ${to}`)
  const names = raw([...STRATA_KEY, ...strataSums(of)].join(', '))
  const due = sql`(SELECT e.* FROM strata_due d CROSS JOIN ${raw(STRATA_ROWS[of])} e
    WHERE d.${IN_SCOPE} AND d.${within} AND e.scope = d.scope
      AND e.ts >= d.bucket * ${raw(String(HOUR_MS))} AND e.ts < (d.bucket + 1) * ${raw(String(HOUR_MS))}) AS rows_due`
  return sql`WITH ${scopeCte(releaseId, environment)}, sums AS (
      SELECT ${names} FROM ${raw(strataTable(kind, of))} k
      WHERE k.${IN_SCOPE} AND ${within}
        AND NOT EXISTS (SELECT 1 FROM strata_due d WHERE d.scope = k.scope AND d.bucket = k.bucket)
      UNION ALL ${strataSelect(kind, of, due)})
    SELECT ${named(['block', 'stratum'], columns)}, v.agent_id, v.provider, v.model
    FROM (SELECT ${part} AS block, p.stratum, p.variant, ${summed(columns)}
      FROM sums p GROUP BY 1, p.stratum, p.variant) AS s JOIN variants v ON v.id = s.variant
    ORDER BY s.stratum, s.block, v.agent_id, v.provider, v.model LIMIT ${MOST_SUMS + 1}`
}
