-- Named credentials. agents and environments are JSON arrays of names, NULL for all. hash is the SHA-256 of the salt, the
-- token, and what it is good for: one whose role or scope was changed here opens nothing. A rotated token has a second
-- row of the same name; no row goes.

CREATE TABLE tokens (
  token_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('read', 'ingest', 'write', 'admin')),
  agents TEXT,
  environments TEXT,
  salt TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  revoked_by TEXT,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_name ON tokens (name);
