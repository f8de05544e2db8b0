import type { ClusterCell } from '../../rules/diff_statistics.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asFlag,
  asNumber,
  asText,
  columns,
  mapped,
  ofSides,
  onlyRow,
  orNull,
} from '../../sql/query.ts'
import { IN_SCOPE, MODEL_SUMS, NO_FILTERS, hoursOf, scopeCte } from '../events/rollups.ts'
import { matchingEvents } from '../events/matching.ts'
import type { SideQuery } from './sides.ts'

/** What runs may resemble each other within, beside blocks of time. */
export type ClusterBy = 'session' | 'tenant'

/** Most runs of a side whose sessions or tenants are looked up: raw events are read for that. */
export const MOST_CLUSTERED_RUNS = 10_000

/**
 * A row per session or tenant and model of either side, and one more for what its runs used beside their own model; a
 * run without a session stands alone.
 */
export function clustersQuery(
  dialect: Sql['dialect'],
  query: SideQuery,
  by: ClusterBy,
): Query<Clusters | undefined> {
  const cells = ofSides(side =>
    allRows(clusterStatement(dialect, query[`${side}Id`], query, by), toClusterCell),
  )
  return mapped(cells, sides => {
    const isCut = [sides.baseline, sides.candidate].some(own => runsOf(own) > MOST_CLUSTERED_RUNS)
    return isCut ? undefined : sides
  })
}

interface Clusters {
  readonly baseline: readonly ClusterCell[]
  readonly candidate: readonly ClusterCell[]
}

function runsOf(cells: readonly ClusterCell[]): number {
  return cells.reduce((sum, cell) => sum + (cell.is_part ? 0 : cell.runs), 0)
}

function clusterStatement(
  dialect: Sql['dialect'],
  releaseId: string,
  query: SideQuery,
  by: ClusterBy,
): Statement {
  const key = raw(by === 'session' ? 'e.session_id' : 'e.tenant_id')
  return sql`WITH ${scopeCte(releaseId, query.environment)}, picked AS (
        SELECT e.seq, ${key} AS cluster, CASE WHEN ${key} IS NULL THEN e.run_id END AS alone, e.variant, e.success,
          e.latency_ms, e.input_tokens, e.output_tokens, e.cached_input_tokens
        FROM ${matchingEvents(dialect, query.window, query.filters)} LIMIT ${MOST_CLUSTERED_RUNS + 1}
      )
      SELECT s.cluster, s.alone, s.is_part, v.model, count(*) AS runs, sum(1 - s.success) AS errors,
        count(s.latency_ms) AS latency_count,
        ${raw(DOUBLES.map(([column, name]) => `sum(CAST(coalesce(s.${column}, 0) AS DOUBLE PRECISION)) AS ${name}`).join(', '))}
      FROM (
        SELECT cluster, alone, 0 AS is_part, variant, success, latency_ms, input_tokens, output_tokens,
          cached_input_tokens, 0 AS cache_write_input_tokens FROM picked
        UNION ALL
        SELECT k.cluster, k.alone, 1, p.variant, 1, NULL, p.input_tokens, p.output_tokens, p.cached_input_tokens,
          p.cache_write_input_tokens FROM picked k CROSS JOIN run_parts p WHERE p.event = k.seq
      ) AS s JOIN variants v ON v.id = s.variant
      GROUP BY s.cluster, s.alone, s.is_part, v.model`
}

const DOUBLES = [
  ['latency_ms', 'latency_sum_ms'],
  ['input_tokens', 'input_tokens'],
  ['output_tokens', 'output_tokens'],
  ['cached_input_tokens', 'cached_input_tokens'],
  ['cache_write_input_tokens', 'cache_write_input_tokens'],
] as const

const readCluster = columns({
  ...MODEL_SUMS,
  cluster: orNull(asText),
  alone: orNull(asText),
  is_part: asFlag,
  cache_write_input_tokens: asNumber,
})

function toClusterCell(row: Row): ClusterCell {
  const { cluster, alone, ...cell } = readCluster(row)
  return { ...cell, cluster: cluster === null ? `run ${alone}` : `of ${cluster}` }
}

/** Most runs of a side whose tenants every diff looks at. */
const MOST_TENANT_RUNS = 5000

/** Share of all runs that are of tenants with runs on both sides; undefined where a side has none, or too many to look. */
export function sharedTenants(dialect: Sql['dialect'], query: SideQuery): Query<number | undefined> {
  const statement = sql`SELECT sum(baseline) AS baseline, sum(candidate) AS candidate,
      sum(CASE WHEN baseline > 0 AND candidate > 0 THEN baseline + candidate ELSE 0 END) AS shared
    FROM (
      SELECT tenant_id, sum(baseline) AS baseline, sum(candidate) AS candidate FROM (
        SELECT tenant_id, runs AS baseline, 0 AS candidate FROM (${tenantRuns(dialect, query, query.baselineId)}) AS of_baseline
        UNION ALL
        SELECT tenant_id, 0, runs FROM (${tenantRuns(dialect, query, query.candidateId)}) AS of_candidate
      ) AS counted GROUP BY tenant_id
    ) AS tenants`
  const sums = columns({
    baseline: orNull(asNumber),
    candidate: orNull(asNumber),
    shared: orNull(asNumber),
  })
  return mapped(onlyRow(statement, sums), ({ baseline, candidate, shared }) =>
    (baseline ?? 0) === 0 || (candidate ?? 0) === 0 ? undefined : shared! / (baseline! + candidate!),
  )
}

function tenantRuns(
  dialect: Sql['dialect'],
  { environment, window }: SideQuery,
  releaseId: string,
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.tenant_id, count(*) AS runs
    FROM (
      SELECT runs FROM (
        SELECT sum(runs) AS runs FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf(window)}
      ) AS counted WHERE runs <= ${MOST_TENANT_RUNS}
    ) AS few CROSS JOIN ${matchingEvents(dialect, window, NO_FILTERS)}
    GROUP BY e.tenant_id`
}
