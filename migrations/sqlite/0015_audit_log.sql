-- All that governs, in the order in which it came about: a chain of its own, whose entries hold decisions, policies,
-- price tables and releases by their hashes.

CREATE TABLE audit_log (
  log_seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  record_json TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_kind ON audit_log (kind, log_seq) WHERE kind <> 'decision';

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE log_seq = NEW.log_seq)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- The end of the log, and the last row of each table that it holds.

ALTER TABLE audit_head ADD COLUMN log_seq INTEGER NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN log_hash TEXT NOT NULL DEFAULT '';

ALTER TABLE audit_head ADD COLUMN logged_actions INTEGER NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_policies INTEGER NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_prices INTEGER NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_releases INTEGER NOT NULL DEFAULT 0;

-- Why a policy was set.

ALTER TABLE policy_history ADD COLUMN reason TEXT;
