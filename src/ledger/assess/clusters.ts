import type { Policy } from '../../models/documents/policy.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Cut } from '../../rules/common_time.ts'
import type { ClusterAggregate, StatisticsQuestion } from '../../rules/diff_statistics.ts'
import type { Window } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asFlag,
  asNumber,
  asText,
  columns,
  mapped,
  ofSides,
  orNull,
} from '../../sql/query.ts'
import { MODEL_SUMS, blockOf, scopeCte } from '../events/rollups.ts'
import { type AggregateSource, keptText } from '../events/gaps.ts'
import { matchingEvents } from '../events/matching.ts'
import type { SideQuery } from './sides.ts'

/** What runs may resemble each other within. */
export type ClusterBy = NonNullable<Policy['cluster_by']>
type Unit = Exclude<ClusterBy, 'time'>

/** Most runs of a side whose sessions or tenants are looked up: raw events are read for that. */
const MOST_CLUSTERED_RUNS = 10_000

/** What runs are grouped by to judge by a policy, or as a caller wants it; undefined for blocks of time. */
export function unitOf({ cluster_by }: { readonly cluster_by?: ClusterBy | undefined }): Unit | undefined {
  return cluster_by === 'time' ? undefined : cluster_by
}

/** Clusters as the statistics take them. */
export function clustersFor(
  by: Unit | undefined,
  aggregates: Clusters | undefined,
  kept: readonly AggregateSource[],
): Pick<StatisticsQuestion, 'clusters'> {
  if (by === undefined) return {}
  const [first] = kept
  if (first === undefined) return { clusters: { by, most_runs: MOST_CLUSTERED_RUNS, aggregates } }
  const apart = `runs can't be grouped by ${by}: ${keptText(first)}`
  return { clusters: { by, most_runs: MOST_CLUSTERED_RUNS, aggregates: undefined, apart } }
}

/**
 * A row per session or tenant and model of either side, and one more for what its runs used besides their own model; a
 * run without a session is a cluster of its own.
 */
export function clustersQuery(query: SideQuery, by: Unit): Query<Clusters | undefined> {
  const aggregates = ofSides(side => clusterQuery(query[`${side}Id`], query, by))
  return mapped(aggregates, ({ baseline, candidate }) =>
    baseline === undefined || candidate === undefined ? undefined : { baseline, candidate },
  )
}

/** The same of one release; undefined where it has too many runs. */
export function clusterQuery(
  releaseId: string,
  query: ClusterQuery,
  by: Unit,
): Query<readonly ClusterAggregate[] | undefined> {
  return mapped(allRows(clusterStatement(releaseId, query, by), toClusterAggregate), aggregates =>
    runsOf(aggregates) > MOST_CLUSTERED_RUNS ? undefined : aggregates,
  )
}

type ClusterQuery = Pick<SideQuery, 'environment' | 'window' | 'filters' | 'cut'>

interface Clusters {
  readonly baseline: readonly ClusterAggregate[]
  readonly candidate: readonly ClusterAggregate[]
}

function runsOf(aggregates: readonly ClusterAggregate[]): number {
  return aggregates.reduce((sum, aggregate) => sum + (aggregate.is_part ? 0 : aggregate.runs), 0)
}

function clusterStatement(releaseId: string, query: ClusterQuery, by: Unit): Statement {
  const key = raw(by === 'session' ? 'e.session_id' : 'e.tenant_id')
  const { cut } = query
  const block = cut === undefined ? raw('0') : blockOf(query, startedTime(cut))
  return sql`WITH ${scopeCte(releaseId, query.environment)}, picked AS (
        SELECT e.seq, ${block} AS block, ${key} AS cluster, CASE WHEN ${key} IS NULL THEN e.run_id END AS alone, e.variant, e.success,
          e.latency_ms, e.input_tokens, e.output_tokens, e.cached_input_tokens
        FROM ${matchingEvents(cut === undefined ? query.window : windowOf(cut), query.filters)} LIMIT ${MOST_CLUSTERED_RUNS + 1}
      )
      SELECT s.block, s.cluster, s.alone, s.is_part, v.model, count(*) AS runs, sum(1 - s.success) AS errors,
        count(s.latency_ms) AS latency_count, count(CASE WHEN s.success = 0 THEN s.latency_ms END) AS failed_latency_count,
        sum(CAST((1 - s.success) * coalesce(s.latency_ms, 0) AS DOUBLE PRECISION)) AS failed_latency_sum_ms,
        ${raw(DOUBLES.map(([column, name]) => `sum(CAST(coalesce(s.${column}, 0) AS DOUBLE PRECISION)) AS ${name}`).join(', '))}
      FROM (
        SELECT block, cluster, alone, 0 AS is_part, variant, success, latency_ms, input_tokens, output_tokens,
          cached_input_tokens, 0 AS cache_write_input_tokens FROM picked
        UNION ALL
        SELECT k.block, k.cluster, k.alone, 1, p.variant, 1, NULL, p.input_tokens, p.output_tokens, p.cached_input_tokens,
          p.cache_write_input_tokens FROM picked k CROSS JOIN run_parts p WHERE p.event = k.seq
      ) AS s JOIN variants v ON v.id = s.variant
      GROUP BY s.block, s.cluster, s.alone, s.is_part, v.model`
}

/** The time of an event, an expression; that of runs which were under way at the moments of the cut is below 0. */
function startedTime({ moments }: Cut): string {
  if (moments === undefined) return 'e.ts'
  const isUnderWay = moments.at.map(
    at => `(e.ts - coalesce(e.latency_ms, 0) < ${at} AND e.ts >= ${at - (at % MINUTE_MS)})`,
  )
  return `(CASE WHEN ${isUnderWay.join(' OR ')} THEN -1 ELSE e.ts END)`
}

/** Only runs that are compared are looked up. */
function windowOf({ from, to }: Cut): Window {
  return { since: from, until: to }
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
  block: asNumber,
  cluster: orNull(asText),
  alone: orNull(asText),
  is_part: asFlag,
  cache_write_input_tokens: asNumber,
  failed_latency_count: asNumber,
  failed_latency_sum_ms: asNumber,
})

function toClusterAggregate(row: Row): ClusterAggregate {
  const { cluster, alone, ...aggregate } = readCluster(row)
  return { ...aggregate, cluster: cluster === null ? `run ${alone}` : `of ${cluster}` }
}
