-- Runs of OpenTelemetry's table in ClickHouse, as temporary tables that clickhouse.sql sums:
--   clickhouse-client --param_from_ms=… --param_to_ms=… --format JSONEachRow --queries-file clickhouse-otel.sql clickhouse.sql
--
-- `releases` is a table of yours with a row per registered release: agent_id, version, release_id, model, provider.
--
-- A run is the agent span that begins its trace, and counts where it ends. It takes less than an hour (3600000). Its tokens
-- are those of the calls of models below it, or its own where those are more. A call without tokens, unless it failed,
-- leaves its run out. The table has no key: a span that came twice is taken once.

CREATE TEMPORARY TABLE traced AS
WITH (SELECT groupArray((agent_id, version, release_id, model, provider)) FROM releases) AS known, counted AS (
  SELECT TraceId, SpanAttributes AS a, ResourceAttributes AS r, ParentSpanId = '' AS first,
    toUnixTimestamp64Nano(Timestamp) + toInt64(Duration) AS end_ns, toInt64(Duration) AS ns, StatusCode = 'Error' AS has_failed,
    a['gen_ai.operation.name'] IN ('chat', 'text_completion', 'generate_content') OR match(a['ai.operationId'], '\\.do(Generate|Stream)$')
      OR a['openinference.span.kind'] = 'LLM' OR a['llm.request.type'] IN ('chat', 'completion')
      OR a['langfuse.observation.type'] = 'generation' AS is_call,
    a['gen_ai.operation.name'] IN ('invoke_agent', 'invoke_workflow')
      OR a['ai.operationId'] IN ('ai.generateText', 'ai.streamText', 'ai.generateObject', 'ai.streamObject')
      OR a['openinference.span.kind'] IN ('AGENT', 'CHAIN') OR a['traceloop.span.kind'] IN ('agent', 'workflow')
      OR a['langfuse.observation.type'] IN ('agent', 'chain') AS is_agent,
    toInt64OrZero(arrayFirst(t -> t != '', [a['gen_ai.usage.input_tokens'], a['gen_ai.usage.prompt_tokens'],
      a['ai.usage.inputTokens'], a['ai.usage.promptTokens'], a['llm.token_count.prompt']])) AS given,
    toInt64OrZero(arrayFirst(t -> t != '', [a['gen_ai.usage.cache_read.input_tokens'], a['gen_ai.usage.cache_read_input_tokens'],
      a['ai.usage.inputTokenDetails.cacheReadTokens'], a['ai.usage.cachedInputTokens'],
      a['llm.token_count.prompt_details.cache_read']])) AS tc,
    toInt64OrZero(arrayFirst(t -> t != '', [a['gen_ai.usage.cache_write.input_tokens'], a['gen_ai.usage.cache_creation.input_tokens'],
      a['gen_ai.usage.cache_creation_input_tokens'], a['ai.usage.inputTokenDetails.cacheWriteTokens'],
      a['llm.token_count.prompt_details.cache_write']])) AS tw,
    toInt64OrZero(arrayFirst(t -> t != '', [a['gen_ai.usage.output_tokens'], a['gen_ai.usage.completion_tokens'],
      a['ai.usage.outputTokens'], a['ai.usage.completionTokens'], a['llm.token_count.completion']])) AS tout,
    toInt64OrZero(arrayFirst(t -> t != '', [a['gen_ai.usage.total_tokens'], a['llm.usage.total_tokens'],
      a['ai.usage.totalTokens'], a['llm.token_count.total']])) AS total,
    -- Some leave the cache out of the input tokens. Who does is known by name, by the total, or since the cache is more.
    match(ScopeName, '^(opentelemetry\\.instrumentation\\.(botocore|bedrock)|openlit\\.instrumentation\\.(anthropic|bedrock))')
      OR (match(a['ai.model.provider'], 'anthropic|bedrock') AND a['ai.usage.inputTokenDetails.noCacheTokens'] = '')
      OR tc + tw > given OR total = given + tout + tc + tw AS is_apart,
    if(is_apart, given + tw, given - tc) AS tin
  FROM otel_traces
  WHERE Timestamp >= fromUnixTimestamp64Milli(toInt64({from_ms:Int64} - 3600000), 'UTC')
    AND Timestamp < fromUnixTimestamp64Milli(toInt64({to_ms:Int64}), 'UTC') AND (is_call OR is_agent)
  LIMIT 1 BY TraceId, SpanId
), spans AS (
  SELECT *,
    arrayFirst(t -> t != '', [a['gen_ai.agent.id'], a['gen_ai.agent.name'], a['agent.name'], a['ai.telemetry.functionId'],
      r['service.name']]) AS agent,
    arrayFirst(t -> t != '', [a['gen_ai.agent.version'], a['langfuse.release'], r['langfuse.release'], r['service.version']]) AS version,
    arrayFirst(t -> t != '', [r['deployment.environment.name'], r['deployment.environment'], a['langfuse.environment']]) AS environment,
    arrayFirst(t -> t != '', [a['gen_ai.provider.name'], a['gen_ai.system'], a['ai.model.provider'], a['llm.provider'],
      a['llm.system']]) AS provider,
    arrayFirst(t -> t != '', [a['gen_ai.request.model'], a['ai.model.id'], a['llm.request.model_name'], a['llm.model_name'],
      a['langfuse.observation.model.name'], a['gen_ai.response.model'], a['ai.response.model']]) AS model
  FROM counted
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
)
SELECT k.3 AS release_id, environment, agent AS agent_id, intDiv(end_ns, 1000000) AS ts_ms, NOT failed AS success,
  toNullable(intDiv(ns + 500000, 1000000)) AS latency_ms,
  -- The release's own model comes first, or the one that was used most; of a run that failed before a call the release's.
  if(length(spent) > 0, arraySort(c -> (c.1 != k.4, -(c.3 + c.4 + c.5)), spent),
    [(if(called = '', k.4, called), k.5, toInt64(0), toInt64(0), toInt64(0), toInt64(0))]) AS used
FROM (SELECT *, arrayFirst(x -> x.1 = agent AND x.2 = version, known) AS k FROM traces)
WHERE k.3 != '' AND ts_ms >= {from_ms:Int64} AND ts_ms < {to_ms:Int64} AND (failed OR (length(spent) > 0 AND NOT is_partial));

CREATE TEMPORARY TABLE runs AS
SELECT release_id, environment, agent_id, used[1].2 AS provider, used[1].1 AS model, ts_ms, true AS is_end, success, latency_ms,
  used[1].3 AS input_tokens, used[1].4 AS output_tokens, used[1].5 AS cached_input_tokens
FROM traced;

CREATE TEMPORARY TABLE run_parts AS
SELECT release_id, environment, agent_id, part.2 AS provider, part.1 AS model, ts_ms, part.3 AS input_tokens,
  part.4 AS output_tokens, part.5 AS cached_input_tokens, part.6 AS cache_write_input_tokens
FROM traced ARRAY JOIN arrayConcat(
  if(used[1].6 > 0, [(used[1].1, used[1].2, toInt64(0), toInt64(0), toInt64(0), used[1].6)], []), arraySlice(used, 2)) AS part;

CREATE TEMPORARY TABLE run_scores (release_id String, environment String, ts_ms Int64, name String, score Float64);
