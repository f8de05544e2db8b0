DROP INDEX run_events_task;

CREATE INDEX run_events_task ON run_events (
  seq / 4096, scope, task_id, ts, variant, success, latency_ms, input_tokens, output_tokens, cached_input_tokens
);
