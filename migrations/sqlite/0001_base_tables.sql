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
  artifact_json TEXT NOT NULL,
  pricing_checksum TEXT
) STRICT;

CREATE INDEX releases_checksum ON releases (checksum);

-- Spans name the release of a run by agent and version.

CREATE INDEX releases_by_version ON releases (agent_id, version);

CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TRIGGER releases_no_delete BEFORE DELETE ON releases
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

-- REPLACE deletes what is in its way without asking the triggers for that.

CREATE TRIGGER releases_no_replace BEFORE INSERT ON releases
WHEN EXISTS (SELECT 1 FROM releases WHERE release_id = NEW.release_id OR seq = NEW.seq)
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

APPEND ONLY pricing_imports (import_id = NEW.import_id OR seq = NEW.seq) SAYING 'pricing imports are append-only';

-- Policies as they were set, one row each time: the last of each policy_id is in force. change_id keeps one that is sent
-- again from being set twice.

CREATE TABLE policy_history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  policy_id TEXT NOT NULL,
  policy_json TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  change_id TEXT,
  reason TEXT
) STRICT;

CREATE UNIQUE INDEX policy_history_change ON policy_history (change_id);

APPEND ONLY policy_history (change_id = NEW.change_id OR seq = NEW.seq) SAYING 'the policy history is append-only';

-- Decisions. decided_at is by the database's clock, which no server can be ahead of. A forced rollback moves the pointer as a
-- passed decision does, though the policy was not asked; prev_hash and hash tie each row to the one before it.

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
  created_at INTEGER NOT NULL,
  actor_source TEXT NOT NULL,
  record_json TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  forced INTEGER NOT NULL DEFAULT 0,
  decided_at INTEGER
) STRICT;

-- The last decision that moved each pointer.

CREATE TABLE promoted_pointers (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  release_id TEXT NOT NULL REFERENCES releases (release_id),
  action_id TEXT,
  PRIMARY KEY (agent_id, environment)
) STRICT;

CREATE TRIGGER promoted_pointers_no_delete BEFORE DELETE ON promoted_pointers
BEGIN
  SELECT RAISE(ABORT, 'promoted pointers are moved, not deleted');
END;

-- The text pairs that every event repeats, kept once: what ran where,

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  release_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  UNIQUE (release_id, environment)
) STRICT;

APPEND ONLY scopes (id = NEW.id) SAYING 'scopes are append-only';

-- and whose run on which model.

CREATE TABLE variants (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  UNIQUE (agent_id, provider, model)
) STRICT;

APPEND ONLY variants (id = NEW.id) SAYING 'variants are append-only';

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
