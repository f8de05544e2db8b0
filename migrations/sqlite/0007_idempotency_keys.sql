-- Answers already given to a repeated Idempotency-Key.

CREATE TABLE idempotency_keys (
  key TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  body_json TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
