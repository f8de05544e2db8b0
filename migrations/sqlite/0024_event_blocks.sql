-- The times of the events of a block: 4096 numbers. What came behind the last row may be of any time.

CREATE TABLE event_blocks (
  block INTEGER PRIMARY KEY,
  min_ts INTEGER NOT NULL,
  max_ts INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT;

-- The wide indexes have a migration each: D1 ends what takes long.

DROP INDEX run_events_tenant;

CREATE INDEX run_events_tenant ON run_events (
  seq / 4096, scope, tenant_id, ts, task_id, variant, success, latency_ms, input_tokens, output_tokens,
  cached_input_tokens
);

INSERT INTO event_blocks (block, min_ts, max_ts, last_seq)
SELECT seq / 4096, min(ts), max(ts), max(seq) FROM run_events GROUP BY seq / 4096;
