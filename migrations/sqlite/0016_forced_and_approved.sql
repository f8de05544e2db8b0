-- A forced rollback moves the pointer as a passed decision does, though the policy was not asked.

ALTER TABLE actions ADD COLUMN forced INTEGER NOT NULL DEFAULT 0;

CREATE INDEX actions_moved ON actions (agent_id, environment, audit_seq) WHERE (policy_passed = 1 OR forced = 1);

DROP INDEX actions_passed;

-- How a request ended where it was neither confirmed nor cancelled; who approved it of how many that it takes, when it
-- ends by itself (by the database's clock), and the policy and figures it was asked for on.

ALTER TABLE promotion_requests ADD COLUMN resolution TEXT;

ALTER TABLE promotion_requests ADD COLUMN approvals_required INTEGER NOT NULL DEFAULT 1;

ALTER TABLE promotion_requests ADD COLUMN approvals_json TEXT NOT NULL DEFAULT '[]';

ALTER TABLE promotion_requests ADD COLUMN expires_at INTEGER;

ALTER TABLE promotion_requests ADD COLUMN assessed_json TEXT;
