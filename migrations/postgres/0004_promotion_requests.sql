-- resolution says how a request ended that was neither confirmed nor cancelled; approvals_json has who approved it of the
-- approvals_required, expires_at is by the database's clock, assessed_json has the policy and figures that it was made on.
-- claimed_actor is what a caller with a credential of its own calls itself besides, actor_identity whom an identity provider
-- vouches for: issuer and subject as JSON.

CREATE TABLE promotion_requests (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id TEXT COLLATE "C" NOT NULL UNIQUE,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled')),
  release_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  window_text TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  baseline_release_id TEXT COLLATE "C",
  policy_json TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  resolved_at BIGINT,
  resolved_by TEXT COLLATE "C",
  resolution_reason TEXT COLLATE "C",
  completed_action_id TEXT COLLATE "C",
  actor_source TEXT COLLATE "C",
  resolution TEXT COLLATE "C",
  approvals_required BIGINT NOT NULL DEFAULT 1,
  approvals_json TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  expires_at BIGINT,
  assessed_json TEXT COLLATE "C",
  claimed_actor TEXT COLLATE "C",
  actor_identity TEXT COLLATE "C"
);

CREATE INDEX promotion_requests_status ON promotion_requests (status, seq);
