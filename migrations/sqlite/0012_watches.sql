-- Watches of what was promoted: a live release is compared with the one before, check by check. due_at is when it may next be
-- checked, lease who did so last; limits_json and rollback_json are as they are answered. retry_json says what blocked its
-- rollback, how often, and when that is tried again; NULL where it is not.

CREATE TABLE watches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  watch_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  release_id TEXT NOT NULL,
  baseline_release_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('watching', 'passed', 'regressed', 'inconclusive', 'rolled_back', 'superseded')),
  auto_rollback INTEGER NOT NULL,
  min_runs INTEGER NOT NULL,
  limits_json TEXT NOT NULL,
  baseline_since INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  started_by TEXT NOT NULL,
  checks INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lease TEXT,
  ended_at INTEGER,
  ended_because TEXT,
  ended_by TEXT,
  rollback_json TEXT,
  retry_json TEXT
) STRICT;

-- A place has one watch at a time.

CREATE UNIQUE INDEX watches_running ON watches (agent_id, environment) WHERE state = 'watching';

CREATE INDEX watches_due ON watches (state, due_at);

CREATE INDEX watches_by_place ON watches (agent_id, environment, seq);

CREATE INDEX watches_retrying ON watches (due_at) WHERE retry_json IS NOT NULL;

-- The last checks of each.

CREATE TABLE watch_checks (
  watch_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  check_json TEXT NOT NULL,
  PRIMARY KEY (watch_id, number)
) STRICT, WITHOUT ROWID;
