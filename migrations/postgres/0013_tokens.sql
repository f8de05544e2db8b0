-- Named credentials. agents and environments are JSON arrays of names, NULL for all. hash is the SHA-256 of the salt, the
-- token, and what it is good for: one whose role or scope was changed here opens nothing. A rotated token has a second
-- row of the same name; no row goes.

CREATE TABLE tokens (
  token_id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'ingest', 'write', 'admin')),
  agents TEXT COLLATE "C",
  environments TEXT COLLATE "C",
  salt TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  revoked_by TEXT COLLATE "C",
  last_used_at BIGINT
);

CREATE INDEX tokens_by_name ON tokens (name);
