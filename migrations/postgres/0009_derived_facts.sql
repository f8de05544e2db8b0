-- The policy in force is the last of its history: change_id keeps one that is sent again from being set twice.

ALTER TABLE policy_history ADD COLUMN change_id TEXT COLLATE "C";

CREATE UNIQUE INDEX policy_history_change ON policy_history (change_id);

-- Policies that were set before there was a history.

INSERT INTO policy_history (policy_id, policy_json, actor, actor_source, created_at)
SELECT policy_id, policy_json, 'unknown', 'body', updated_at FROM policies
WHERE NOT EXISTS (SELECT 1 FROM policy_history)
ORDER BY updated_at;

-- The promoted pointer is what the last passed decision chose.

CREATE INDEX actions_passed ON actions (agent_id, environment, audit_seq) WHERE policy_passed = 1;

CREATE TRIGGER promoted_pointers_no_delete BEFORE DELETE OR TRUNCATE ON promoted_pointers
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('promoted pointers are moved, not deleted');

-- An id of these stands in the rows of many events.

CREATE TRIGGER scopes_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON scopes
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('scopes are append-only');

CREATE TRIGGER variants_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON variants
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('variants are append-only');
