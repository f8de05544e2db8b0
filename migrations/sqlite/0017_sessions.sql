-- People who signed in with an identity provider. issuer and subject say who it is, name what is put on record. agents and
-- environments are JSON arrays of names, NULL for all. hash is the SHA-256 of the secret of the session, and of what
-- it is good for and until when: one of which these were changed here opens nothing. roles_hash is of the rules that gave
-- it its role, proof_hash of the nonce or ID token that opened it. No row goes.

CREATE TABLE sessions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('browser', 'cli')),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('read', 'ingest', 'write', 'admin')),
  agents TEXT,
  environments TEXT,
  roles_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  proof_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  idle_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  ended_at INTEGER,
  ended_because TEXT CHECK (ended_because IN ('signed_out', 'revoked', 'replaced', 'idle', 'expired')),
  ended_by TEXT
) STRICT;

CREATE INDEX sessions_by_subject ON sessions (issuer, subject);

CREATE INDEX sessions_open ON sessions (expires_at) WHERE ended_at IS NULL;

-- The key that signs cookies. It has one row, from the first sign-in on.

CREATE TABLE session_keys (
  key_id TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
