-- Limits that live releases are proven to break: since when, until the audit log says that they keep them again.

CREATE TABLE live_findings (
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  limit_key TEXT COLLATE "C" NOT NULL,
  release_id TEXT COLLATE "C" NOT NULL,
  began_at BIGINT NOT NULL,
  PRIMARY KEY (agent_id, environment, limit_key)
);
