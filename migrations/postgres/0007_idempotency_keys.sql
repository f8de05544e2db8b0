-- Answers already given to a repeated Idempotency-Key.

CREATE TABLE idempotency_keys (
  key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  fingerprint TEXT COLLATE "C" NOT NULL,
  body_json TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
