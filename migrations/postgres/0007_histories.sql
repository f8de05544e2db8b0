-- Policies as they were set, one row each time; policies holds the last of each policy_id.

CREATE TABLE policy_history (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  policy_id TEXT COLLATE "C" NOT NULL,
  policy_json TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TRIGGER pricing_imports_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON pricing_imports
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('pricing imports are append-only');

CREATE TRIGGER policy_history_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_history
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the policy history is append-only');

-- Since when and by which decision a pointer stands.

ALTER TABLE promoted_pointers ADD COLUMN action_id TEXT COLLATE "C";

ALTER TABLE promotion_requests ADD COLUMN actor_source TEXT COLLATE "C";

-- Answers already given to a repeated Idempotency-Key.

CREATE TABLE idempotency_keys (
  key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  fingerprint TEXT COLLATE "C" NOT NULL,
  status BIGINT NOT NULL,
  body_json TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
