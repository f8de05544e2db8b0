-- All that governs, in the order in which it came about: a chain of its own, whose entries hold decisions, policies,
-- price tables and releases by their hashes.

CREATE TABLE audit_log (
  log_seq BIGINT PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  record_json TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);

CREATE INDEX audit_log_kind ON audit_log (kind, log_seq) WHERE kind <> 'decision';

CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the audit log is append-only');

-- The end of the log, and the last row of each table that it holds.

ALTER TABLE audit_head ADD COLUMN log_seq BIGINT NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN log_hash TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE audit_head ADD COLUMN logged_actions BIGINT NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_policies BIGINT NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_prices BIGINT NOT NULL DEFAULT 0;

ALTER TABLE audit_head ADD COLUMN logged_releases BIGINT NOT NULL DEFAULT 0;

-- Why a policy was set.

ALTER TABLE policy_history ADD COLUMN reason TEXT COLLATE "C";
