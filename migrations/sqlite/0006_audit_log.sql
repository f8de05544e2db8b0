-- All that governs, in the order in which it came about: a chain of its own, whose entries hold decisions, policies,
-- price tables and releases by their hashes.

CREATE TABLE audit_log (
  log_seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  record_json TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_kind ON audit_log (kind, log_seq) WHERE kind <> 'decision';

APPEND ONLY audit_log (log_seq = NEW.log_seq) SAYING 'the audit log is append-only';

-- The end of the log and of the chain of decisions. Every decision moves seq and hash, every other governed change the
-- revision, so a batch that is guarded by all three can't record a decision on anything that is no longer so. latest_at is the
-- latest time of an entry since somebody last said that the clock was right: on SQLite, whose clock is that of the machine, one
-- that says less is wrong.

CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  revision INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  log_seq INTEGER NOT NULL DEFAULT 0,
  log_hash TEXT NOT NULL DEFAULT '',
  logged_actions INTEGER NOT NULL DEFAULT 0,
  logged_policies INTEGER NOT NULL DEFAULT 0,
  logged_prices INTEGER NOT NULL DEFAULT 0,
  logged_releases INTEGER NOT NULL DEFAULT 0,
  latest_at INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO audit_head (id, seq, hash, revision, changed_by, created_at) VALUES (1, 0, '', 0, '', 0);
