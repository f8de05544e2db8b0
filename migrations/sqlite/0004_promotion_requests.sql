-- resolution says how a request ended that was neither confirmed nor cancelled; approvals_json has who approved it of the
-- approvals_required, expires_at is by the database's clock, assessed_json has the policy and figures that it was made on.
-- claimed_actor is what a caller with a credential of its own calls itself besides, actor_identity whom an identity provider
-- vouches for: issuer and subject as JSON.

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
  completed_action_id TEXT,
  actor_source TEXT,
  resolution TEXT,
  approvals_required INTEGER NOT NULL DEFAULT 1,
  approvals_json TEXT NOT NULL DEFAULT '[]',
  expires_at INTEGER,
  assessed_json TEXT,
  claimed_actor TEXT,
  actor_identity TEXT
) STRICT;

CREATE INDEX promotion_requests_status ON promotion_requests (status, seq);
