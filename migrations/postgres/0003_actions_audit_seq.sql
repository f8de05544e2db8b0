ALTER TABLE actions ADD COLUMN audit_seq BIGINT;

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

CREATE TRIGGER actions_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the audit trail is append-only');
