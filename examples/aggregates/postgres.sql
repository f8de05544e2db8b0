-- Aggregates of tables of runs in PostgreSQL (../../docs/aggregates.md). Sums are numeric, which is exact at any size.
--   psql -At -v from_ms=… -v to_ms=… -f postgres.sql

-- Runs, by minute
SELECT row_to_json(c) FROM (
SELECT 'runs' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS runs,
  count(*) FILTER (WHERE NOT success) AS errors, count(lat) AS latency_count,
  sum(coalesce(lat, 0)::numeric) AS latency_sum,
  sum(coalesce(lat, 0)::numeric * coalesce(lat, 0)) AS latency_sq,
  sum(tin::numeric) AS input_sum, sum(tout::numeric) AS output_sum, sum(tc::numeric) AS cached_sum,
  sum(tin::numeric * tin) AS input_sq, sum(tout::numeric * tout) AS output_sq, sum(tc::numeric * tc) AS cached_sq,
  sum(tin::numeric * tout) AS input_output, sum(tin::numeric * tc) AS input_cached,
  sum(tout::numeric * tc) AS output_cached, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, success, ts_ms / 60000 * 60000 AS at_ms,
    CASE WHEN is_end THEN latency_ms END AS lat, CASE WHEN is_end THEN input_tokens ELSE 0 END AS tin,
    CASE WHEN is_end THEN output_tokens ELSE 0 END AS tout, CASE WHEN is_end THEN cached_input_tokens ELSE 0 END AS tc
  FROM runs WHERE ts_ms >= :from_ms AND ts_ms < :to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms) AS c;

-- Latencies, by ten minutes
SELECT row_to_json(c) FROM (
SELECT 'latency' AS aggregate, release_id, environment, at_ms, json_object_agg(bin, n) AS bins, max(longest) AS largest,
  600 AS width_s
FROM (
  SELECT release_id, environment, ts_ms / 600000 * 600000 AS at_ms, CASE WHEN latency_ms > 0 THEN ceil(ln(latency_ms::double precision) / 0.020000666706669435)::bigint ELSE -32768 END AS bin,
    count(*) AS n, max(latency_ms) AS longest
  FROM runs WHERE ts_ms >= :from_ms AND ts_ms < :to_ms AND is_end AND latency_ms IS NOT NULL
  GROUP BY 1, 2, 3, 4) AS b
GROUP BY release_id, environment, at_ms) AS c;

-- What runs used of further models, and what they wrote to a cache, by minute
SELECT row_to_json(c) FROM (
SELECT 'parts' AS aggregate, release_id, environment, agent_id, provider, model, at_ms, count(*) AS parts,
  sum(input_tokens::numeric) AS input_sum, sum(output_tokens::numeric) AS output_sum,
  sum(cached_input_tokens::numeric) AS cached_sum, sum(cache_write_input_tokens::numeric) AS write_sum,
  sum(input_tokens::numeric * input_tokens) AS input_sq, sum(output_tokens::numeric * output_tokens) AS output_sq,
  sum(cached_input_tokens::numeric * cached_input_tokens) AS cached_sq,
  sum(cache_write_input_tokens::numeric * cache_write_input_tokens) AS write_sq,
  sum(input_tokens::numeric * output_tokens) AS input_output,
  sum(input_tokens::numeric * cached_input_tokens) AS input_cached,
  sum(input_tokens::numeric * cache_write_input_tokens) AS input_write,
  sum(output_tokens::numeric * cached_input_tokens) AS output_cached,
  sum(output_tokens::numeric * cache_write_input_tokens) AS output_write,
  sum(cached_input_tokens::numeric * cache_write_input_tokens) AS cached_write, 60 AS width_s
FROM (
  SELECT release_id, environment, agent_id, provider, model, ts_ms / 60000 * 60000 AS at_ms, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  FROM run_parts WHERE ts_ms >= :from_ms AND ts_ms < :to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms) AS c;

-- Scores, by minute, in millionths
SELECT row_to_json(c) FROM (
SELECT 'scores' AS aggregate, release_id, environment, at_ms, name, count(*) AS runs, sum(score::numeric) AS score_sum,
  sum(score::numeric * score) AS score_sq, 60 AS width_s
FROM (
  SELECT release_id, environment, name, ts_ms / 60000 * 60000 AS at_ms, floor(score::double precision * 1000000 + 0.5)::bigint AS score
  FROM run_scores WHERE ts_ms >= :from_ms AND ts_ms < :to_ms) AS e
GROUP BY release_id, environment, at_ms, name) AS c;
