-- Who decided on what evidence, and the hash that ties each row to the one before it.

ALTER TABLE actions ADD COLUMN actor_source TEXT COLLATE "C";

ALTER TABLE actions ADD COLUMN record_json TEXT COLLATE "C";

ALTER TABLE actions ADD COLUMN prev_hash TEXT COLLATE "C";

ALTER TABLE actions ADD COLUMN hash TEXT COLLATE "C";

-- The end of the chain. Every decision moves seq and hash, every other governed change the revision, so a
-- batch that is guarded by all three can't record a decision on anything that is no longer so.
-- first_seq is the last row written before there was a chain.

CREATE TABLE audit_head (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  first_seq BIGINT NOT NULL
);

INSERT INTO audit_head (id, seq, hash, revision, changed_by, created_at, first_seq)
SELECT 1, coalesce(max(audit_seq), 0), '', 0, '', coalesce(max(created_at), 0), coalesce(max(audit_seq), 0)
FROM actions;

INSERT INTO counters (name, slot, value)
SELECT 'actions_by_action:' || action, 0, count(*) FROM actions GROUP BY action;

-- The trail is append-only, whatever the program.

CREATE TRIGGER actions_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the audit trail is append-only');
