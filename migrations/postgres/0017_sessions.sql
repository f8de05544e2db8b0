-- People who signed in with an identity provider. issuer and subject say who it is, name what is put on record. agents and
-- environments are JSON arrays of names, NULL for all. hash is the SHA-256 of the secret of the session, and of what
-- it is good for and until when: one of which these were changed here opens nothing. roles_hash is of the rules that gave
-- it its role, proof_hash of the nonce or ID token that opened it. No row goes.

CREATE TABLE sessions (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id TEXT COLLATE "C" NOT NULL UNIQUE,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('browser', 'cli')),
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'ingest', 'write', 'admin')),
  agents TEXT COLLATE "C",
  environments TEXT COLLATE "C",
  roles_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  proof_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  idle_ms BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  ended_at BIGINT,
  ended_because TEXT COLLATE "C" CHECK (ended_because IN ('signed_out', 'revoked', 'replaced', 'idle', 'expired')),
  ended_by TEXT COLLATE "C"
);

CREATE INDEX sessions_by_subject ON sessions (issuer, subject);

CREATE INDEX sessions_open ON sessions (expires_at) WHERE ended_at IS NULL;

-- The key that signs cookies. It has one row, from the first sign-in on.

CREATE TABLE session_keys (
  key_id TEXT COLLATE "C" PRIMARY KEY,
  secret TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
