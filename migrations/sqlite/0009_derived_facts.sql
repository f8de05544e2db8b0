-- The policy in force is the last of its history: change_id keeps one that is sent again from being set twice.

ALTER TABLE policy_history ADD COLUMN change_id TEXT;

CREATE UNIQUE INDEX policy_history_change ON policy_history (change_id);

-- Policies that were set before there was a history.

INSERT INTO policy_history (policy_id, policy_json, actor, actor_source, created_at)
SELECT policy_id, policy_json, 'unknown', 'body', updated_at FROM policies
WHERE NOT EXISTS (SELECT 1 FROM policy_history)
ORDER BY updated_at;

-- The promoted pointer is what the last passed decision chose.

CREATE INDEX actions_passed ON actions (agent_id, environment, audit_seq) WHERE policy_passed = 1;

CREATE TRIGGER promoted_pointers_no_delete BEFORE DELETE ON promoted_pointers
BEGIN
  SELECT RAISE(ABORT, 'promoted pointers are moved, not deleted');
END;

-- REPLACE deletes what is in its way without asking the triggers for that.

CREATE TRIGGER releases_no_replace BEFORE INSERT ON releases
WHEN EXISTS (SELECT 1 FROM releases WHERE release_id = NEW.release_id OR seq = NEW.seq)
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TRIGGER pricing_imports_no_replace BEFORE INSERT ON pricing_imports
WHEN EXISTS (SELECT 1 FROM pricing_imports WHERE import_id = NEW.import_id OR seq = NEW.seq)
BEGIN
  SELECT RAISE(ABORT, 'pricing imports are append-only');
END;

CREATE TRIGGER policy_history_no_replace BEFORE INSERT ON policy_history
WHEN EXISTS (SELECT 1 FROM policy_history WHERE change_id = NEW.change_id OR seq = NEW.seq)
BEGIN
  SELECT RAISE(ABORT, 'the policy history is append-only');
END;

-- An id of these stands in the rows of many events.

CREATE TRIGGER scopes_no_update BEFORE UPDATE ON scopes
BEGIN
  SELECT RAISE(ABORT, 'scopes are append-only');
END;

CREATE TRIGGER scopes_no_delete BEFORE DELETE ON scopes
BEGIN
  SELECT RAISE(ABORT, 'scopes are append-only');
END;

CREATE TRIGGER scopes_no_replace BEFORE INSERT ON scopes
WHEN EXISTS (SELECT 1 FROM scopes WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'scopes are append-only');
END;

CREATE TRIGGER variants_no_update BEFORE UPDATE ON variants
BEGIN
  SELECT RAISE(ABORT, 'variants are append-only');
END;

CREATE TRIGGER variants_no_delete BEFORE DELETE ON variants
BEGIN
  SELECT RAISE(ABORT, 'variants are append-only');
END;

CREATE TRIGGER variants_no_replace BEFORE INSERT ON variants
WHEN EXISTS (SELECT 1 FROM variants WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'variants are append-only');
END;
