-- Times are epoch milliseconds, booleans 0 and 1. A statement ends with a semicolon and a blank line.

CREATE TABLE releases (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  release_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  version TEXT NOT NULL,
  environment TEXT NOT NULL,
  checksum TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  model TEXT NOT NULL,
  pricing_provider TEXT NOT NULL,
  pricing_version TEXT NOT NULL,
  artifact_json TEXT NOT NULL
) STRICT;

CREATE INDEX releases_checksum ON releases (checksum);

CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TRIGGER releases_no_delete BEFORE DELETE ON releases
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TABLE pricing_tables (
  provider TEXT NOT NULL,
  pricing_version TEXT NOT NULL,
  pricing_json TEXT NOT NULL,
  models INTEGER NOT NULL,
  imported_at INTEGER NOT NULL,
  PRIMARY KEY (provider, pricing_version)
) STRICT;

CREATE TABLE pricing_imports (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  pricing_version TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('insert', 'replace')),
  actor TEXT NOT NULL,
  reason TEXT,
  old_pricing_json TEXT,
  new_pricing_json TEXT NOT NULL,
  new_checksum TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE policies (
  policy_id TEXT NOT NULL PRIMARY KEY,
  policy_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE actions (
  action_id TEXT NOT NULL PRIMARY KEY,
  action TEXT NOT NULL CHECK (action IN ('promote', 'rollback')),
  release_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  baseline_release_id TEXT,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  policy_passed INTEGER NOT NULL,
  policy_reasons TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE promoted_pointers (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  release_id TEXT NOT NULL REFERENCES releases (release_id),
  PRIMARY KEY (agent_id, environment)
) STRICT;

-- The text pairs that every event repeats, kept once: what ran where,

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  release_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  UNIQUE (release_id, environment)
) STRICT;

-- and whose run on which model.

CREATE TABLE variants (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  UNIQUE (agent_id, provider, model)
) STRICT;

CREATE TABLE run_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  scope INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  ts INTEGER NOT NULL CHECK (ts >= 0),
  is_end INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  success INTEGER NOT NULL,
  latency_ms INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  session_id TEXT,
  trace_id TEXT,
  span_id TEXT,
  event_json TEXT NOT NULL
) STRICT;
