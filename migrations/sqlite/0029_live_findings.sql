-- Limits that live releases are proven to break: since when, until the audit log says that they keep them again.

CREATE TABLE live_findings (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  limit_key TEXT NOT NULL,
  release_id TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, environment, limit_key)
) STRICT, WITHOUT ROWID;
