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

-- The end of the log and of the chain of decisions. Every decision moves seq and hash, every other governed change the
-- revision, so a batch that is guarded by all three can't record a decision on anything that is no longer so. latest_at is the
-- latest time of an entry since somebody last said that the clock was right: on SQLite, whose clock is that of the machine, one
-- that says less is wrong.

CREATE TABLE audit_head (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  log_seq BIGINT NOT NULL DEFAULT 0,
  log_hash TEXT COLLATE "C" NOT NULL DEFAULT '',
  logged_actions BIGINT NOT NULL DEFAULT 0,
  logged_policies BIGINT NOT NULL DEFAULT 0,
  logged_prices BIGINT NOT NULL DEFAULT 0,
  logged_releases BIGINT NOT NULL DEFAULT 0,
  latest_at BIGINT NOT NULL DEFAULT 0
);

INSERT INTO audit_head (id, seq, hash, revision, changed_by, created_at) VALUES (1, 0, '', 0, '', 0);
