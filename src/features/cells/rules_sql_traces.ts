import { type CellQuery, DIALECTS, momentsOf } from './rules_sql_ours.ts'

const is = DIALECTS.clickhouse

/**
 * A row of `runs`, which the queries of a schema share: release_id, environment, agent, ts_ms, when it ended, failed, lat,
 * and `used`, tuples (model, provider, in, out, cached, written) of which the first is the run's own.
 */
interface Traces {
  readonly about: string
  readonly ctes: string
  /** FROM of rows of scores joined with runs: `score` in millionths. */
  readonly scores?: string
}

/** A run's own model is that of its release where it called it, or else the one that it used most. */
const OWN_FIRST = 'arraySort(c -> (c.1 != k.4, -(c.3 + c.4 + c.5)), spent)'
/** What a run used, its own model first: of one that failed before it called a model that of its release. */
const USED = `if(length(spent) > 0, ${OWN_FIRST}, [(if(called = '', k.4, called), k.5, toInt64(0), toInt64(0), toInt64(0), toInt64(0))])`
const IS_OF_TIME = 'ts_ms >= {from_ms} AND ts_ms < {to_ms}'
const time = (ms: string): string => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`
const began = (column: string): string =>
  `${column} >= ${time('{from_ms} - {max_run_ms}')} AND ${column} < ${time('{to_ms}')}`

const token = (...names: readonly string[]): string =>
  `any(greatest(${names.map(name => `toInt64OrZero(SpanAttributes['gen_ai.usage.${name}'])`).join(', ')}))`

const OTEL: Traces = {
  about: `otel_traces as OpenTelemetry's exporter makes it, by the GenAI conventions. A run is the agent span that begins its
-- trace; it counts where it ends. Its tokens are those of the calls of models below it, or its own where those are more. A
-- call without tokens, unless it failed, leaves its run out. The table has no key: a span that came twice is taken once`,
  ctes: `spans AS (
  SELECT TraceId, SpanId, any(ParentSpanId) = '' AS first, any(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration)) AS end_ns,
    any(toInt64(Duration)) AS ns, any(StatusCode = 'Error') AS has_failed,
    any(SpanAttributes['gen_ai.operation.name']) = 'chat' AS is_call,
    any(SpanAttributes['gen_ai.agent.name']) AS agent, any(ResourceAttributes['service.version']) AS version,
    any(ResourceAttributes['deployment.environment.name']) AS environment,
    any(SpanAttributes['gen_ai.provider.name']) AS provider, any(SpanAttributes['gen_ai.request.model']) AS model,
    ${token('cache_read.input_tokens')} AS tc,
    ${token('cache_write.input_tokens', 'cache_creation.input_tokens')} AS tw,
    ${token('input_tokens')} - tc AS tin, ${token('output_tokens')} AS tout
  FROM {table}
  WHERE ${began('Timestamp')}
    AND SpanAttributes['gen_ai.operation.name'] IN ('invoke_agent', 'chat')
  GROUP BY TraceId, SpanId
), by_model AS (
  SELECT TraceId, provider, model,
    (model, provider, sumIf(tin, is_call), sumIf(tout, is_call), sumIf(tc, is_call), sumIf(tw, is_call)) AS call,
    (model, provider, sumIf(tin, first), sumIf(tout, first), sumIf(tc, first), sumIf(tw, first)) AS root,
    countIf(is_call AND NOT has_failed AND tin + tout + tc = 0) AS uncounted, maxIf(model, is_call) AS called,
    maxIf(end_ns, first) AS end_ns, maxIf(ns, first) AS ns, maxIf(has_failed, first) AS failed,
    anyIf(agent, first) AS agent, anyIf(version, first) AS version, anyIf(environment, first) AS environment
  FROM spans GROUP BY TraceId, provider, model
), traces AS (
  SELECT max(end_ns) AS end_ns, max(ns) AS ns, max(failed) AS failed, max(called) AS called,
    anyIf(agent, agent != '') AS agent, anyIf(version, version != '') AS version,
    anyIf(environment, environment != '') AS environment,
    groupArrayIf(call, call.3 + call.4 + call.5 > 0) AS calls, groupArrayIf(root, root.3 + root.4 + root.5 > 0) AS roots,
    arraySum(c -> c.3 + c.4 + c.5, roots) > arraySum(c -> c.3 + c.4 + c.5, calls) AS is_root,
    if(is_root, roots, calls) AS spent, sum(uncounted) > 0 AND NOT is_root AS is_partial
  FROM by_model GROUP BY TraceId HAVING end_ns > 0
), runs AS (
  SELECT k.3 AS release_id, environment, agent, intDiv(end_ns, 1000000) AS ts_ms, failed, intDiv(ns + 500000, 1000000) AS lat,
    ${USED} AS used
  FROM (SELECT *, arrayFirst(r -> r.1 = agent AND r.2 = version, known) AS k FROM traces)
  WHERE k.3 != '' AND ${IS_OF_TIME} AND (failed OR (length(spent) > 0 AND NOT is_partial))
)`,
}

const CACHE = "k LIKE '%cache%'"
const WRITTEN = "(k LIKE '%cache_creation%' OR k LIKE '%cache_write%')"
/** usage_details has no token in two of its entries but `total`. */
const usage = (condition: string): string =>
  `sum(toInt64(arraySum(mapValues(mapFilter((k, v) -> k != 'total' AND ${condition}, usage_details)))))`

const LANGFUSE: Traces = {
  about: `traces, observations and scores of Langfuse v3. A run is a trace; it counts where its last observation ends.
-- traces.name is the agent, traces.release the version. FINAL, because the tables keep every version of a row until they
-- are merged. Langfuse keeps no provider: that of the release's price table stands for all`,
  ctes: `calls AS (
  SELECT trace_id, ifNull(provided_model_name, '') AS model,
    max(toUnixTimestamp64Milli(ifNull(end_time, start_time))) AS end_ms, min(toUnixTimestamp64Milli(start_time)) AS start_ms,
    max(level = 'ERROR' AND parent_observation_id IS NULL) AS failed,
    ${usage(`k NOT LIKE 'output%' AND ${CACHE} AND NOT ${WRITTEN}`)} AS tc,
    ${usage(`k NOT LIKE 'output%' AND ${WRITTEN}`)} AS tw,
    ${usage(`k NOT LIKE 'output%' AND NOT ${CACHE}`)} + tw AS tin, ${usage("k LIKE 'output%'")} AS tout
  FROM observations FINAL
  WHERE project_id = {project} AND is_deleted = 0 AND ${began('start_time')}
  GROUP BY trace_id, model
), per_trace AS (
  SELECT trace_id, max(end_ms) AS ts_ms, max(end_ms) - min(start_ms) AS lat, max(failed) AS failed, max(model) AS called,
    groupArrayIf((model, tin, tout, tc, tw), tin + tout + tc > 0) AS by_model
  FROM calls GROUP BY trace_id
), runs AS (
  SELECT trace_id, k.3 AS release_id, environment, agent, ts_ms, failed, lat, ${USED} AS used
  FROM (
    SELECT p.*, t.environment AS environment, t.name AS agent, arrayFirst(r -> r.1 = agent AND r.2 = t.release, known) AS k,
      arrayMap(c -> (c.1, k.5, c.2, c.3, c.4, c.5), by_model) AS spent
    FROM per_trace AS p INNER JOIN (
      SELECT id, environment, name, ifNull(release, '') AS release FROM traces FINAL
      WHERE project_id = {project} AND is_deleted = 0 AND ${began('timestamp')}) AS t ON t.id = p.trace_id)
  WHERE k.3 != '' AND ${IS_OF_TIME} AND (failed OR length(spent) > 0)
)`,
  scores: `(
  SELECT trace_id, name, ${is.millionths('argMax(value, timestamp)')} AS score FROM scores FINAL
  WHERE project_id = {project} AND is_deleted = 0 AND data_type IN ('NUMERIC', 'BOOLEAN') AND value IS NOT NULL
    AND timestamp >= ${time('{from_ms} - {max_run_ms}')}
  GROUP BY trace_id, name) AS s INNER JOIN runs ON runs.trace_id = s.trace_id`,
}

/** The queries for traces in ClickHouse: `{releases}` are rows of the ledger, `{max_run_ms}` is the longest run. */
export const TRACE_QUERIES = { otel: queriesOf(OTEL), langfuse: queriesOf(LANGFUSE) } as const

function queriesOf({ about, ctes, scores }: Traces): readonly CellQuery[] {
  const query = (cell: CellQuery['cell'], width_s: number, select: string) => ({
    cell,
    sql: `-- ${about}. ${is.about}\nWITH {releases} AS known, ${ctes}
SELECT '${cell}' AS cell, release_id, environment, ${is.cut('ts_ms', width_s * 1000)} AS at_ms, ${width_s} AS width_s, ${select}`,
  })
  const of = (model: string): string => `agent AS agent_id, ${model}.2 AS provider, ${model}.1 AS model`
  const place = 'release_id, environment, at_ms'
  const tokens = { input: 'own.3', output: 'own.4', cached: 'own.5' }
  const sums = (values: Readonly<Record<string, string>>): string =>
    momentsOf(is, values)
      .map(([name, value]) => `${value} AS ${name}`)
      .join(',\n  ')
  const parts =
    'arrayConcat(if(used[1].6 > 0, [(used[1].1, used[1].2, toInt64(0), toInt64(0), toInt64(0), used[1].6)], []), arraySlice(used, 2))'
  return [
    query(
      'runs',
      60,
      `${of('own')}, count() AS runs,
  sum(failed) AS errors, count() AS latency_count, ${is.sum('lat')} AS latency_sum, ${is.sum('lat', 'lat')} AS latency_sq,
  ${sums(tokens)}
FROM (SELECT *, used[1] AS own FROM runs) GROUP BY ${place}, agent_id, provider, model`,
    ),
    query(
      'latency',
      600,
      `${is.bins} AS bins, max(longest) AS largest
FROM (SELECT release_id, environment, ${is.cut('ts_ms', 600_000)} AS ts_ms, ${is.bin('lat')} AS bin, count() AS n, max(lat) AS longest
  FROM runs GROUP BY release_id, environment, ts_ms, bin)
GROUP BY ${place}`,
    ),
    query(
      'parts',
      60,
      `${of('own')}, count() AS parts,
  ${sums({ ...tokens, write: 'own.6' })}
FROM runs ARRAY JOIN ${parts} AS own GROUP BY ${place}, agent_id, provider, model`,
    ),
    ...(scores === undefined
      ? []
      : [
          query(
            'scores',
            60,
            `name, count() AS runs, ${is.sum('score')} AS score_sum, ${is.sum('score', 'score')} AS score_sq
FROM ${scores} GROUP BY ${place}, name`,
          ),
        ]),
  ]
}
