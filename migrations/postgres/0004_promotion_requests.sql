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
  completed_action_id TEXT COLLATE "C"
);

CREATE INDEX promotion_requests_status ON promotion_requests (status, seq);
