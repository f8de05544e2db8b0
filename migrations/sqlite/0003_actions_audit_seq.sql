ALTER TABLE actions ADD COLUMN audit_seq INTEGER;

UPDATE actions
SET audit_seq = numbered.position
FROM (
  SELECT action_id AS id, row_number() OVER (ORDER BY created_at, action_id) AS position FROM actions
) AS numbered
WHERE numbered.id = action_id;

CREATE UNIQUE INDEX actions_audit_seq ON actions (audit_seq);

CREATE INDEX actions_agent ON actions (agent_id, environment, audit_seq);

CREATE INDEX actions_environment ON actions (environment, audit_seq);

CREATE INDEX actions_moved ON actions (agent_id, environment, audit_seq) WHERE (policy_passed = 1 OR forced = 1);

-- The trail is append-only, whatever the program.

APPEND ONLY actions (action_id = NEW.action_id OR audit_seq = NEW.audit_seq) SAYING 'the audit trail is append-only';
