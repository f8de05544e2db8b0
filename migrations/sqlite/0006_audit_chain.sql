-- Who decided on what evidence, and the hash that ties each row to the one before it.

ALTER TABLE actions ADD COLUMN actor_source TEXT;

ALTER TABLE actions ADD COLUMN record_json TEXT;

ALTER TABLE actions ADD COLUMN prev_hash TEXT;

ALTER TABLE actions ADD COLUMN hash TEXT;

-- The end of the chain. Every decision moves seq and hash, every other governed change the revision, so a
-- batch that is guarded by all three can't record a decision on anything that is no longer so.
-- first_seq is the last row written before there was a chain.

CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  revision INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_seq INTEGER NOT NULL
) STRICT;

INSERT INTO audit_head (id, seq, hash, revision, changed_by, created_at, first_seq)
SELECT 1, coalesce(max(audit_seq), 0), '', 0, '', coalesce(max(created_at), 0), coalesce(max(audit_seq), 0)
FROM actions;

INSERT INTO counters (name, slot, value)
SELECT 'actions_by_action:' || action, 0, count(*) FROM actions GROUP BY action;

-- The trail is append-only, whatever the program.

CREATE TRIGGER actions_no_update BEFORE UPDATE ON actions
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

CREATE TRIGGER actions_no_delete BEFORE DELETE ON actions
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

CREATE TRIGGER actions_no_replace BEFORE INSERT ON actions
WHEN EXISTS (SELECT 1 FROM actions WHERE action_id = NEW.action_id OR audit_seq = NEW.audit_seq)
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
