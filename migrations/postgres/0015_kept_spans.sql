-- Spans of traces whose run is not stored yet: what later requests need of them, never a message. A row is gone once its
-- run is stored, or after a day. untold is 1 while nobody was told that it is in no run.

CREATE TABLE kept_spans (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trace_id TEXT COLLATE "C" NOT NULL,
  span_id TEXT COLLATE "C" NOT NULL,
  tenant_id TEXT COLLATE "C" NOT NULL,
  untold BIGINT NOT NULL,
  arrived_at BIGINT NOT NULL,
  span_json TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX kept_spans_span ON kept_spans (trace_id, span_id);

-- Spans that came before spans_before may have been forgotten. spans_swept_at is when a server last looked for old ones.

ALTER TABLE retention ADD COLUMN spans_before BIGINT NOT NULL DEFAULT 0;

ALTER TABLE retention ADD COLUMN spans_swept_at BIGINT NOT NULL DEFAULT 0;
