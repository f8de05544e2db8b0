-- Spans of traces whose run is not stored yet: what later requests need of them, never a message. A row is gone once its
-- run is stored, or after a day. untold is 1 while nobody was told that it is in no run.

CREATE TABLE kept_spans (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL,
  span_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  untold INTEGER NOT NULL,
  arrived_at INTEGER NOT NULL,
  span_json TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX kept_spans_span ON kept_spans (trace_id, span_id);

-- Spans that came before spans_before may have been forgotten. spans_swept_at is when a server last looked for old ones.

ALTER TABLE retention ADD COLUMN spans_before INTEGER NOT NULL DEFAULT 0;

ALTER TABLE retention ADD COLUMN spans_swept_at INTEGER NOT NULL DEFAULT 0;
