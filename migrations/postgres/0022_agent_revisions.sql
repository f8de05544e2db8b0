-- What every change bumps that only judgements of one agent read; audit_head.revision is that of what governs all.

CREATE TABLE agent_revisions (
  agent_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);
