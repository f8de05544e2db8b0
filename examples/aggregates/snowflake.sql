-- Aggregates of tables of runs in Snowflake (../../docs/aggregates.md). Never run. A row is one JSON text, so that names keep their case.
--   snowsql -o header=false -o output_format=plain -o variable_substitution=true -D from_ms=… -D to_ms=… -f snowflake.sql

-- Runs, by minute
SELECT TO_JSON(OBJECT_CONSTRUCT('aggregate', 'runs', 'release_id', release_id, 'environment', environment,
  'agent_id', agent_id, 'provider', provider, 'model', model, 'at_ms', at_ms, 'runs', count(*),
  'errors', COUNT_IF(NOT success), 'latency_count', count(lat),
  'latency_sum', SUM(COALESCE(lat, 0)::NUMBER(38, 0))::TEXT,
  'latency_sq', SUM(COALESCE(lat, 0)::NUMBER(38, 0) * COALESCE(lat, 0))::TEXT,
  'input_sum', SUM(tin::NUMBER(38, 0))::TEXT, 'output_sum', SUM(tout::NUMBER(38, 0))::TEXT,
  'cached_sum', SUM(tc::NUMBER(38, 0))::TEXT, 'input_sq', SUM(tin::NUMBER(38, 0) * tin)::TEXT,
  'output_sq', SUM(tout::NUMBER(38, 0) * tout)::TEXT, 'cached_sq', SUM(tc::NUMBER(38, 0) * tc)::TEXT,
  'input_output', SUM(tin::NUMBER(38, 0) * tout)::TEXT, 'input_cached', SUM(tin::NUMBER(38, 0) * tc)::TEXT,
  'output_cached', SUM(tout::NUMBER(38, 0) * tc)::TEXT, 'width_s', 60)) AS line
FROM (
  SELECT release_id, environment, agent_id, provider, model, success, FLOOR(ts_ms / 60000) * 60000 AS at_ms,
    IFF(is_end, latency_ms, NULL) AS lat, IFF(is_end, input_tokens, 0) AS tin,
    IFF(is_end, output_tokens, 0) AS tout, IFF(is_end, cached_input_tokens, 0) AS tc
  FROM runs WHERE ts_ms >= &from_ms AND ts_ms < &to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Latencies, by ten minutes
SELECT TO_JSON(OBJECT_CONSTRUCT('aggregate', 'latency', 'release_id', release_id, 'environment', environment,
  'at_ms', at_ms, 'bins', OBJECT_AGG(bin::TEXT, n::VARIANT), 'largest', MAX(longest), 'width_s', 600)) AS line
FROM (
  SELECT release_id, environment, FLOOR(ts_ms / 600000) * 600000 AS at_ms, IFF(latency_ms > 0, CEIL(LN(latency_ms::FLOAT) / 0.020000666706669435::FLOAT)::INTEGER, -32768) AS bin,
    count(*) AS n, max(latency_ms) AS longest
  FROM runs WHERE ts_ms >= &from_ms AND ts_ms < &to_ms AND is_end AND latency_ms IS NOT NULL
  GROUP BY release_id, environment, at_ms, bin) AS b
GROUP BY release_id, environment, at_ms;

-- What runs used of further models, and what they wrote to a cache, by minute
SELECT TO_JSON(OBJECT_CONSTRUCT('aggregate', 'parts', 'release_id', release_id, 'environment', environment,
  'agent_id', agent_id, 'provider', provider, 'model', model, 'at_ms', at_ms, 'parts', count(*),
  'input_sum', SUM(input_tokens::NUMBER(38, 0))::TEXT, 'output_sum', SUM(output_tokens::NUMBER(38, 0))::TEXT,
  'cached_sum', SUM(cached_input_tokens::NUMBER(38, 0))::TEXT,
  'write_sum', SUM(cache_write_input_tokens::NUMBER(38, 0))::TEXT,
  'input_sq', SUM(input_tokens::NUMBER(38, 0) * input_tokens)::TEXT,
  'output_sq', SUM(output_tokens::NUMBER(38, 0) * output_tokens)::TEXT,
  'cached_sq', SUM(cached_input_tokens::NUMBER(38, 0) * cached_input_tokens)::TEXT,
  'write_sq', SUM(cache_write_input_tokens::NUMBER(38, 0) * cache_write_input_tokens)::TEXT,
  'input_output', SUM(input_tokens::NUMBER(38, 0) * output_tokens)::TEXT,
  'input_cached', SUM(input_tokens::NUMBER(38, 0) * cached_input_tokens)::TEXT,
  'input_write', SUM(input_tokens::NUMBER(38, 0) * cache_write_input_tokens)::TEXT,
  'output_cached', SUM(output_tokens::NUMBER(38, 0) * cached_input_tokens)::TEXT,
  'output_write', SUM(output_tokens::NUMBER(38, 0) * cache_write_input_tokens)::TEXT,
  'cached_write', SUM(cached_input_tokens::NUMBER(38, 0) * cache_write_input_tokens)::TEXT, 'width_s', 60)) AS line
FROM (
  SELECT release_id, environment, agent_id, provider, model, FLOOR(ts_ms / 60000) * 60000 AS at_ms, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  FROM run_parts WHERE ts_ms >= &from_ms AND ts_ms < &to_ms) AS e
GROUP BY release_id, environment, agent_id, provider, model, at_ms;

-- Scores, by minute, in millionths
SELECT TO_JSON(OBJECT_CONSTRUCT('aggregate', 'scores', 'release_id', release_id, 'environment', environment,
  'at_ms', at_ms, 'name', name, 'runs', count(*), 'score_sum', SUM(score::NUMBER(38, 0))::TEXT,
  'score_sq', SUM(score::NUMBER(38, 0) * score)::TEXT, 'width_s', 60)) AS line
FROM (
  SELECT release_id, environment, name, FLOOR(ts_ms / 60000) * 60000 AS at_ms, FLOOR(score::FLOAT * 1000000 + 0.5)::INTEGER AS score
  FROM run_scores WHERE ts_ms >= &from_ms AND ts_ms < &to_ms) AS e
GROUP BY release_id, environment, at_ms, name;
