-- Aggregates of tables of runs in ClickHouse (../../docs/aggregates.md). Sums are Int128: those of 64 bits wrap round in silence.
--   clickhouse-client --param_from_ms=… --param_to_ms=… --format JSONEachRow --queries-file clickhouse.sql

-- Runs, by minute
SELECT 'runs' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS runs,
  countIf(NOT success) AS errors, count(lat) AS latency_count, sum(toInt128(coalesce(lat, 0))) AS latency_sum,
  sum(toInt128(coalesce(lat, 0)) * coalesce(lat, 0)) AS latency_sq, sum(toInt128(tin)) AS input_sum,
  sum(toInt128(tout)) AS output_sum, sum(toInt128(tc)) AS cached_sum, sum(toInt128(tin) * tin) AS input_sq,
  sum(toInt128(tout) * tout) AS output_sq, sum(toInt128(tc) * tc) AS cached_sq,
  sum(toInt128(tin) * tout) AS input_output, sum(toInt128(tin) * tc) AS input_cached,
  sum(toInt128(tout) * tc) AS output_cached, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, success, intDiv(ts_ms, 60000) * 60000 AS at_ms,
    if(is_end, latency_ms, NULL) AS lat, if(is_end, input_tokens, 0) AS tin,
    if(is_end, output_tokens, 0) AS tout, if(is_end, cached_input_tokens, 0) AS tc
  FROM runs WHERE ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64}) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Latencies, by ten minutes
SELECT 'latency' AS aggregate, release_id, environment, at_ms,
  CAST((groupArray(toString(bin)), groupArray(n)), 'Map(String, UInt64)') AS bins, max(longest) AS largest,
  600 AS width_s
FROM (
  SELECT release_id, environment, intDiv(ts_ms, 600000) * 600000 AS at_ms, if(latency_ms > 0, toInt32(ceil(log(latency_ms) / 0.020000666706669435)), -32768) AS bin,
    count(*) AS n, max(latency_ms) AS longest
  FROM runs WHERE ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64} AND is_end AND latency_ms IS NOT NULL
  GROUP BY release_id, environment, at_ms, bin) AS b
GROUP BY release_id, environment, at_ms;

-- What runs used of further models, and what they wrote to a cache, by minute
SELECT 'parts' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS parts,
  sum(toInt128(input_tokens)) AS input_sum, sum(toInt128(output_tokens)) AS output_sum,
  sum(toInt128(cached_input_tokens)) AS cached_sum, sum(toInt128(cache_write_input_tokens)) AS write_sum,
  sum(toInt128(input_tokens) * input_tokens) AS input_sq, sum(toInt128(output_tokens) * output_tokens) AS output_sq,
  sum(toInt128(cached_input_tokens) * cached_input_tokens) AS cached_sq,
  sum(toInt128(cache_write_input_tokens) * cache_write_input_tokens) AS write_sq,
  sum(toInt128(input_tokens) * output_tokens) AS input_output,
  sum(toInt128(input_tokens) * cached_input_tokens) AS input_cached,
  sum(toInt128(input_tokens) * cache_write_input_tokens) AS input_write,
  sum(toInt128(output_tokens) * cached_input_tokens) AS output_cached,
  sum(toInt128(output_tokens) * cache_write_input_tokens) AS output_write,
  sum(toInt128(cached_input_tokens) * cache_write_input_tokens) AS cached_write, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, intDiv(ts_ms, 60000) * 60000 AS at_ms, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  FROM run_parts WHERE ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64}) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Scores, by minute, in millionths
SELECT 'scores' AS aggregate, release_id, environment, at_ms, name, count(*) AS runs, sum(toInt128(score)) AS score_sum,
  sum(toInt128(score) * score) AS score_sq, 60 AS width_s
FROM (
  SELECT release_id, environment, name, intDiv(ts_ms, 60000) * 60000 AS at_ms, toInt64(floor(score * 1000000 + 0.5)) AS score
  FROM run_scores WHERE ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64}) AS e
GROUP BY release_id, environment, at_ms, name;
