-- Times are epoch milliseconds, booleans 0 and 1. A statement ends with a semicolon and a blank line.
-- Text sorts and compares by bytes, as in SQLite, whatever the locale of the database.

CREATE TABLE releases (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  release_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  checksum TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  pricing_provider TEXT COLLATE "C" NOT NULL,
  pricing_version TEXT COLLATE "C" NOT NULL,
  artifact_json TEXT COLLATE "C" NOT NULL,
  pricing_checksum TEXT COLLATE "C"
);

CREATE INDEX releases_checksum ON releases (checksum);

-- Spans name the release of a run by agent and version.

CREATE INDEX releases_by_version ON releases (agent_id, version);

-- Refuses what its table must never undergo; the argument says why.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0];
END
$$;

CREATE TRIGGER releases_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON releases
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('releases are immutable');

CREATE TABLE pricing_tables (
  provider TEXT COLLATE "C" NOT NULL,
  pricing_version TEXT COLLATE "C" NOT NULL,
  pricing_json TEXT COLLATE "C" NOT NULL,
  models BIGINT NOT NULL,
  imported_at BIGINT NOT NULL,
  PRIMARY KEY (provider, pricing_version)
);

CREATE TABLE pricing_imports (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id TEXT COLLATE "C" NOT NULL UNIQUE,
  provider TEXT COLLATE "C" NOT NULL,
  pricing_version TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL CHECK (action IN ('insert', 'replace')),
  actor TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  old_pricing_json TEXT COLLATE "C",
  new_pricing_json TEXT COLLATE "C" NOT NULL,
  new_checksum TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TRIGGER pricing_imports_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON pricing_imports
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('pricing imports are append-only');

-- Policies as they were set, one row each time: the last of each policy_id is in force. change_id keeps one that is sent
-- again from being set twice.

CREATE TABLE policy_history (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  policy_id TEXT COLLATE "C" NOT NULL,
  policy_json TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  change_id TEXT COLLATE "C",
  reason TEXT COLLATE "C"
);

CREATE UNIQUE INDEX policy_history_change ON policy_history (change_id);

CREATE TRIGGER policy_history_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_history
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the policy history is append-only');

-- Decisions. decided_at is by the database's clock, which no server can be ahead of. A forced rollback moves the pointer as a
-- passed decision does, though the policy was not asked; prev_hash and hash tie each row to the one before it.

CREATE TABLE actions (
  action_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  action TEXT COLLATE "C" NOT NULL CHECK (action IN ('promote', 'rollback')),
  release_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  baseline_release_id TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  policy_passed BIGINT NOT NULL,
  policy_reasons TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  record_json TEXT COLLATE "C" NOT NULL,
  prev_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  forced BIGINT NOT NULL DEFAULT 0,
  decided_at BIGINT
);

-- The last decision that moved each pointer.

CREATE TABLE promoted_pointers (
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  release_id TEXT COLLATE "C" NOT NULL REFERENCES releases (release_id),
  action_id TEXT COLLATE "C",
  PRIMARY KEY (agent_id, environment)
);

CREATE TRIGGER promoted_pointers_no_delete BEFORE DELETE OR TRUNCATE ON promoted_pointers
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('promoted pointers are moved, not deleted');

-- The text pairs that every event repeats, kept once: what ran where,

CREATE TABLE scopes (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  release_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  UNIQUE (release_id, environment)
);

CREATE TRIGGER scopes_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON scopes
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('scopes are append-only');

-- and whose run on which model.

CREATE TABLE variants (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  UNIQUE (agent_id, provider, model)
);

CREATE TRIGGER variants_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON variants
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('variants are append-only');

CREATE TABLE run_events (
  seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL UNIQUE,
  scope BIGINT NOT NULL,
  variant BIGINT NOT NULL,
  ts BIGINT NOT NULL CHECK (ts >= 0),
  is_end BIGINT NOT NULL,
  tenant_id TEXT COLLATE "C" NOT NULL,
  task_id TEXT COLLATE "C" NOT NULL,
  success BIGINT NOT NULL,
  latency_ms BIGINT,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT NOT NULL,
  session_id TEXT COLLATE "C",
  trace_id TEXT COLLATE "C",
  span_id TEXT COLLATE "C",
  event_json TEXT COLLATE "C" NOT NULL
);
