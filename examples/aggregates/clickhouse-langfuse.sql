-- Runs of Langfuse v3 in its ClickHouse, as temporary tables that clickhouse.sql sums:
--   clickhouse-client --param_project=… --param_from_ms=… --param_to_ms=… --format JSONEachRow \
--     --queries-file clickhouse-langfuse.sql clickhouse.sql
--
-- `releases` is a table of yours with a row per registered release: agent_id, version, release_id, model, provider.
--
-- A run is a trace, and counts where its last observation ends. It takes less than an hour (3600000). traces.name is the
-- agent, traces.release the version. FINAL, because the tables keep every version of a row until they are merged. Langfuse
-- keeps no provider: that of the release stands for all.
--
-- Langfuse leaves the cache out of `input`, unless `total` is input and output alone. Only the keys named here are read.

CREATE TEMPORARY TABLE traced AS
WITH (SELECT groupArray((agent_id, version, release_id, model, provider)) FROM releases) AS known, counted AS (
  SELECT trace_id, provided_model_name, start_time, end_time, level, parent_observation_id, usage_details AS u,
    toInt64(u['input_cached_tokens'] + u['cache_read_input_tokens'] + u['input_cache_read'] + u['input_cached']) AS tc,
    toInt64(u['cache_creation_input_tokens'] + u['cache_write_input_tokens'] + u['input_cache_creation']
      + u['input_cache_creation_5m'] + u['input_cache_creation_1h'] + u['input_cache_write']) AS tw,
    toInt64(u['input'] + u['input_tokens'] + u['prompt_tokens'] + u['input_audio_tokens'] + u['input_audio']) AS given,
    toInt64(u['output'] + u['output_tokens'] + u['completion_tokens'] + u['output_reasoning_tokens'] + u['output_reasoning']
      + u['output_audio_tokens'] + u['output_audio'] + u['output_accepted_prediction_tokens']
      + u['output_rejected_prediction_tokens']) AS tout,
    if(tc + tw > 0 AND toInt64(u['total']) = given + tout, given - tc, given + tw) AS tin
  FROM observations FINAL
  WHERE project_id = {project:String} AND is_deleted = 0
    AND start_time >= fromUnixTimestamp64Milli(toInt64({from_ms:Int64} - 3600000), 'UTC')
    AND start_time < fromUnixTimestamp64Milli(toInt64({to_ms:Int64}), 'UTC')
), calls AS (
  SELECT trace_id, ifNull(provided_model_name, '') AS model,
    max(toUnixTimestamp64Milli(ifNull(end_time, start_time))) AS end_ms, min(toUnixTimestamp64Milli(start_time)) AS start_ms,
    max(level = 'ERROR' AND parent_observation_id IS NULL) AS failed,
    sum(tin) AS tin, sum(tout) AS tout, sum(tc) AS tc, sum(tw) AS tw
  FROM counted GROUP BY trace_id, model
), per_trace AS (
  SELECT trace_id, max(end_ms) AS ts_ms, max(end_ms) - min(start_ms) AS lat, max(failed) AS failed, max(model) AS called,
    groupArrayIf((model, tin, tout, tc, tw), tin + tout + tc > 0) AS by_model
  FROM calls GROUP BY trace_id
)
SELECT trace_id, k.3 AS release_id, environment, agent AS agent_id, ts_ms, NOT failed AS success, toNullable(lat) AS latency_ms,
  -- The release's own model comes first, or the one that was used most; of a run that failed before a call the release's.
  if(length(spent) > 0, arraySort(c -> (c.1 != k.4, -(c.3 + c.4 + c.5)), spent),
    [(if(called = '', k.4, called), k.5, toInt64(0), toInt64(0), toInt64(0), toInt64(0))]) AS used
FROM (
  SELECT p.*, t.environment AS environment, t.name AS agent, arrayFirst(x -> x.1 = agent AND x.2 = t.release, known) AS k,
    arrayMap(c -> (c.1, k.5, c.2, c.3, c.4, c.5), by_model) AS spent
  FROM per_trace AS p INNER JOIN (
    SELECT id, environment, name, ifNull(release, '') AS release FROM traces FINAL
    WHERE project_id = {project:String} AND is_deleted = 0
      AND timestamp >= fromUnixTimestamp64Milli(toInt64({from_ms:Int64} - 3600000), 'UTC')
      AND timestamp < fromUnixTimestamp64Milli(toInt64({to_ms:Int64}), 'UTC')) AS t ON t.id = p.trace_id)
WHERE k.3 != '' AND ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64} AND (failed OR length(spent) > 0);

CREATE TEMPORARY TABLE runs AS
SELECT release_id, environment, agent_id, used[1].2 AS provider, used[1].1 AS model, ts_ms, true AS is_end, success, latency_ms,
  used[1].3 AS input_tokens, used[1].4 AS output_tokens, used[1].5 AS cached_input_tokens
FROM traced;

CREATE TEMPORARY TABLE run_parts AS
SELECT release_id, environment, agent_id, part.2 AS provider, part.1 AS model, ts_ms, part.3 AS input_tokens,
  part.4 AS output_tokens, part.5 AS cached_input_tokens, part.6 AS cache_write_input_tokens
FROM traced ARRAY JOIN arrayConcat(
  if(used[1].6 > 0, [(used[1].1, used[1].2, toInt64(0), toInt64(0), toInt64(0), used[1].6)], []), arraySlice(used, 2)) AS part;

CREATE TEMPORARY TABLE run_scores AS
SELECT release_id, environment, ts_ms, name, score
FROM (
  SELECT trace_id, name, argMax(value, timestamp) AS score FROM scores FINAL
  WHERE project_id = {project:String} AND is_deleted = 0 AND data_type IN ('NUMERIC', 'BOOLEAN') AND value IS NOT NULL
    AND timestamp >= fromUnixTimestamp64Milli(toInt64({from_ms:Int64} - 3600000), 'UTC')
  GROUP BY trace_id, name) AS s INNER JOIN traced ON traced.trace_id = s.trace_id;
