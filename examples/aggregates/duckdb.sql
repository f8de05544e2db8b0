-- Aggregates of tables of runs in DuckDB (../../docs/aggregates.md). `runs` may be read_parquet('runs/*.parquet'). Products are HUGEINT.
--   duckdb -jsonlines -cmd "SET VARIABLE from_ms = …; SET VARIABLE to_ms = …" runs.db < duckdb.sql

-- Runs, by minute
SELECT 'runs' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS runs,
  count(*) FILTER (NOT success) AS errors, count(lat) AS latency_count,
  sum(coalesce(lat, 0)) AS latency_sum,
  sum(CAST(coalesce(lat, 0) AS HUGEINT) * coalesce(lat, 0)) AS latency_sq,
  sum(tin) AS input_sum, sum(tout) AS output_sum, sum(tc) AS cached_sum, sum(CAST(tin AS HUGEINT) * tin) AS input_sq,
  sum(CAST(tout AS HUGEINT) * tout) AS output_sq, sum(CAST(tc AS HUGEINT) * tc) AS cached_sq,
  sum(CAST(tin AS HUGEINT) * tout) AS input_output, sum(CAST(tin AS HUGEINT) * tc) AS input_cached,
  sum(CAST(tout AS HUGEINT) * tc) AS output_cached, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, success, (ts_ms // 60000) * 60000 AS at_ms,
    CASE WHEN is_end THEN latency_ms END AS lat, CASE WHEN is_end THEN input_tokens ELSE 0 END AS tin,
    CASE WHEN is_end THEN output_tokens ELSE 0 END AS tout, CASE WHEN is_end THEN cached_input_tokens ELSE 0 END AS tc
  FROM runs WHERE ts_ms >= getvariable('from_ms') AND ts_ms < getvariable('to_ms')) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Latencies, by ten minutes
SELECT 'latency' AS aggregate, release_id, environment, at_ms,
  map(list(CAST(bin AS VARCHAR) ORDER BY bin), list(n ORDER BY bin)) AS bins, max(longest) AS largest, 600 AS width_s
FROM (
  SELECT release_id, environment, (ts_ms // 600000) * 600000 AS at_ms, CASE WHEN latency_ms > 0 THEN CAST(ceil(ln(latency_ms) / 0.020000666706669435) AS INTEGER) ELSE -32768 END AS bin,
    count(*) AS n, max(latency_ms) AS longest
  FROM runs WHERE ts_ms >= getvariable('from_ms') AND ts_ms < getvariable('to_ms') AND is_end AND latency_ms IS NOT NULL
  GROUP BY ALL) AS b
GROUP BY release_id, environment, at_ms;

-- What runs used of further models, and what they wrote to a cache, by minute
SELECT 'parts' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS parts,
  sum(input_tokens) AS input_sum, sum(output_tokens) AS output_sum, sum(cached_input_tokens) AS cached_sum,
  sum(cache_write_input_tokens) AS write_sum, sum(CAST(input_tokens AS HUGEINT) * input_tokens) AS input_sq,
  sum(CAST(output_tokens AS HUGEINT) * output_tokens) AS output_sq,
  sum(CAST(cached_input_tokens AS HUGEINT) * cached_input_tokens) AS cached_sq,
  sum(CAST(cache_write_input_tokens AS HUGEINT) * cache_write_input_tokens) AS write_sq,
  sum(CAST(input_tokens AS HUGEINT) * output_tokens) AS input_output,
  sum(CAST(input_tokens AS HUGEINT) * cached_input_tokens) AS input_cached,
  sum(CAST(input_tokens AS HUGEINT) * cache_write_input_tokens) AS input_write,
  sum(CAST(output_tokens AS HUGEINT) * cached_input_tokens) AS output_cached,
  sum(CAST(output_tokens AS HUGEINT) * cache_write_input_tokens) AS output_write,
  sum(CAST(cached_input_tokens AS HUGEINT) * cache_write_input_tokens) AS cached_write, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, (ts_ms // 60000) * 60000 AS at_ms, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  FROM run_parts WHERE ts_ms >= getvariable('from_ms') AND ts_ms < getvariable('to_ms')) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Scores, by minute, in millionths
SELECT 'scores' AS aggregate, release_id, environment, at_ms, name, count(*) AS runs, sum(score) AS score_sum,
  sum(CAST(score AS HUGEINT) * score) AS score_sq, 60 AS width_s
FROM (
  SELECT release_id, environment, name, (ts_ms // 60000) * 60000 AS at_ms, CAST(floor(score * 1000000 + 0.5) AS BIGINT) AS score
  FROM run_scores WHERE ts_ms >= getvariable('from_ms') AND ts_ms < getvariable('to_ms')) AS e
GROUP BY release_id, environment, at_ms, name;
