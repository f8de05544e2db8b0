-- Policies as they were set, one row each time; policies holds the last of each policy_id.

CREATE TABLE policy_history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  policy_id TEXT NOT NULL,
  policy_json TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_source TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER pricing_imports_no_update BEFORE UPDATE ON pricing_imports
BEGIN
  SELECT RAISE(ABORT, 'pricing imports are append-only');
END;

CREATE TRIGGER pricing_imports_no_delete BEFORE DELETE ON pricing_imports
BEGIN
  SELECT RAISE(ABORT, 'pricing imports are append-only');
END;

CREATE TRIGGER policy_history_no_update BEFORE UPDATE ON policy_history
BEGIN
  SELECT RAISE(ABORT, 'the policy history is append-only');
END;

CREATE TRIGGER policy_history_no_delete BEFORE DELETE ON policy_history
BEGIN
  SELECT RAISE(ABORT, 'the policy history is append-only');
END;

-- Since when and by which decision a pointer stands.

ALTER TABLE promoted_pointers ADD COLUMN action_id TEXT;

ALTER TABLE promotion_requests ADD COLUMN actor_source TEXT;

-- Answers already given to a repeated Idempotency-Key.

CREATE TABLE idempotency_keys (
  key TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body_json TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
