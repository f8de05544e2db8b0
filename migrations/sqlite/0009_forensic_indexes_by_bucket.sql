-- The bucket first, then whose events, then the release: what both sides of a diff have of a tenant in ten minutes lies
-- on one page. With the release first it was on two: a third slower where those pages were not in memory yet.

DROP INDEX run_events_tenant;

CREATE INDEX run_events_tenant ON run_events (
  ts / 600000, tenant_id, scope, ts, task_id, variant, success, latency_ms, input_tokens, output_tokens,
  cached_input_tokens
);

DROP INDEX run_events_task;

CREATE INDEX run_events_task ON run_events (
  ts / 600000, task_id, scope, ts, variant, success, latency_ms, input_tokens, output_tokens,
  cached_input_tokens
);
