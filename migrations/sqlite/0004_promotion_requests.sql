CREATE TABLE promotion_requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled')),
  release_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  window_text TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  baseline_release_id TEXT,
  policy_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT,
  resolution_reason TEXT,
  completed_action_id TEXT
) STRICT;

CREATE INDEX promotion_requests_status ON promotion_requests (status, seq);
