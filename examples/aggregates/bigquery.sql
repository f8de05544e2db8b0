-- Aggregates of tables of runs in BigQuery (../../docs/aggregates.md). Never run. One query at a time; wide sums come as texts:
--   bq query --format=json --use_legacy_sql=false --parameter=from_ms:INT64:… --parameter=to_ms:INT64:… "$QUERY" | jq -c '.[]'

-- Runs, by minute
SELECT 'runs' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS runs,
  COUNTIF(NOT success) AS errors, count(lat) AS latency_count,
  CAST(SUM(CAST(COALESCE(lat, 0) AS BIGNUMERIC)) AS STRING) AS latency_sum,
  CAST(SUM(CAST(COALESCE(lat, 0) AS BIGNUMERIC) * COALESCE(lat, 0)) AS STRING) AS latency_sq,
  CAST(SUM(CAST(tin AS BIGNUMERIC)) AS STRING) AS input_sum,
  CAST(SUM(CAST(tout AS BIGNUMERIC)) AS STRING) AS output_sum,
  CAST(SUM(CAST(tc AS BIGNUMERIC)) AS STRING) AS cached_sum,
  CAST(SUM(CAST(tin AS BIGNUMERIC) * tin) AS STRING) AS input_sq,
  CAST(SUM(CAST(tout AS BIGNUMERIC) * tout) AS STRING) AS output_sq,
  CAST(SUM(CAST(tc AS BIGNUMERIC) * tc) AS STRING) AS cached_sq,
  CAST(SUM(CAST(tin AS BIGNUMERIC) * tout) AS STRING) AS input_output,
  CAST(SUM(CAST(tin AS BIGNUMERIC) * tc) AS STRING) AS input_cached,
  CAST(SUM(CAST(tout AS BIGNUMERIC) * tc) AS STRING) AS output_cached, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, success, DIV(ts_ms, 60000) * 60000 AS at_ms,
    IF(is_end, latency_ms, NULL) AS lat, IF(is_end, input_tokens, 0) AS tin,
    IF(is_end, output_tokens, 0) AS tout, IF(is_end, cached_input_tokens, 0) AS tc
  FROM runs WHERE ts_ms >= @from_ms AND ts_ms < @to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Latencies, by ten minutes
SELECT 'latency' AS aggregate, release_id, environment, at_ms,
  CONCAT('{', STRING_AGG(FORMAT('"%d":%d', bin, n) ORDER BY bin), '}') AS bins, MAX(longest) AS largest,
  600 AS width_s
FROM (
  SELECT release_id, environment, DIV(ts_ms, 600000) * 600000 AS at_ms, IF(latency_ms > 0, CAST(CEIL(LN(latency_ms) / 0.020000666706669435) AS INT64), -32768) AS bin,
    count(*) AS n, max(latency_ms) AS longest
  FROM runs WHERE ts_ms >= @from_ms AND ts_ms < @to_ms AND is_end AND latency_ms IS NOT NULL
  GROUP BY release_id, environment, at_ms, bin) AS b
GROUP BY release_id, environment, at_ms;

-- What runs used of further models, and what they wrote to a cache, by minute
SELECT 'parts' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS parts,
  CAST(SUM(CAST(input_tokens AS BIGNUMERIC)) AS STRING) AS input_sum,
  CAST(SUM(CAST(output_tokens AS BIGNUMERIC)) AS STRING) AS output_sum,
  CAST(SUM(CAST(cached_input_tokens AS BIGNUMERIC)) AS STRING) AS cached_sum,
  CAST(SUM(CAST(cache_write_input_tokens AS BIGNUMERIC)) AS STRING) AS write_sum,
  CAST(SUM(CAST(input_tokens AS BIGNUMERIC) * input_tokens) AS STRING) AS input_sq,
  CAST(SUM(CAST(output_tokens AS BIGNUMERIC) * output_tokens) AS STRING) AS output_sq,
  CAST(SUM(CAST(cached_input_tokens AS BIGNUMERIC) * cached_input_tokens) AS STRING) AS cached_sq,
  CAST(SUM(CAST(cache_write_input_tokens AS BIGNUMERIC) * cache_write_input_tokens) AS STRING) AS write_sq,
  CAST(SUM(CAST(input_tokens AS BIGNUMERIC) * output_tokens) AS STRING) AS input_output,
  CAST(SUM(CAST(input_tokens AS BIGNUMERIC) * cached_input_tokens) AS STRING) AS input_cached,
  CAST(SUM(CAST(input_tokens AS BIGNUMERIC) * cache_write_input_tokens) AS STRING) AS input_write,
  CAST(SUM(CAST(output_tokens AS BIGNUMERIC) * cached_input_tokens) AS STRING) AS output_cached,
  CAST(SUM(CAST(output_tokens AS BIGNUMERIC) * cache_write_input_tokens) AS STRING) AS output_write,
  CAST(SUM(CAST(cached_input_tokens AS BIGNUMERIC) * cache_write_input_tokens) AS STRING) AS cached_write,
  60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, DIV(ts_ms, 60000) * 60000 AS at_ms, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  FROM run_parts WHERE ts_ms >= @from_ms AND ts_ms < @to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Scores, by minute, in millionths
SELECT 'scores' AS aggregate, release_id, environment, at_ms, name, count(*) AS runs,
  CAST(SUM(CAST(score AS BIGNUMERIC)) AS STRING) AS score_sum,
  CAST(SUM(CAST(score AS BIGNUMERIC) * score) AS STRING) AS score_sq, 60 AS width_s
FROM (
  SELECT release_id, environment, name, DIV(ts_ms, 60000) * 60000 AS at_ms, CAST(FLOOR(score * 1000000 + 0.5) AS INT64) AS score
  FROM run_scores WHERE ts_ms >= @from_ms AND ts_ms < @to_ms) AS e
GROUP BY release_id, environment, at_ms, name;
