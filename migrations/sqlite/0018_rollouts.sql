-- Rollouts: two releases side by side, units split by chance. steps_json is as it is answered, limits_json what the guard
-- judges by; due_at is when one may next be checked, lease who did so last, check_json what was seen.

CREATE TABLE rollouts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  rollout_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  candidate_release_id TEXT NOT NULL,
  baseline_release_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'completed', 'aborted', 'superseded', 'expired')),
  unit TEXT NOT NULL CHECK (unit IN ('session', 'tenant', 'user')),
  steps_json TEXT NOT NULL,
  step INTEGER NOT NULL,
  limits_json TEXT NOT NULL,
  reason TEXT NOT NULL,
  started_by TEXT NOT NULL,
  started_by_json TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  hold_json TEXT,
  hold_until INTEGER,
  ended_at INTEGER,
  because TEXT,
  changed_by TEXT NOT NULL,
  action_id TEXT,
  attempts INTEGER NOT NULL,
  checks INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lease TEXT,
  check_json TEXT
) STRICT;

-- A place has one rollout at a time.

CREATE UNIQUE INDEX rollouts_open ON rollouts (agent_id, environment) WHERE state IN ('running', 'paused');

CREATE INDEX rollouts_by_place ON rollouts (agent_id, environment, seq);

CREATE INDEX rollouts_held ON rollouts (hold_until) WHERE hold_until IS NOT NULL;

-- Rollouts that were asked for and wait for a confirmation. input_json is what they are to be.

CREATE TABLE rollout_requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled')),
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  candidate_release_id TEXT NOT NULL,
  baseline_release_id TEXT NOT NULL,
  input_json TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_source TEXT NOT NULL,
  claimed_actor TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  approvals_required INTEGER NOT NULL,
  approvals_json TEXT NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT,
  resolution TEXT,
  resolution_reason TEXT,
  rollout_id TEXT
) STRICT;

-- What batches of events were assigned by: it changes with every rollout and step.

CREATE TABLE rollout_mark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  changed_by TEXT NOT NULL,
  assignment_key TEXT NOT NULL
) STRICT;

INSERT INTO rollout_mark (id, changed_by, assignment_key) VALUES (1, '', '');

-- Runs as they were assigned: side 0 is the baseline, 1 the candidate, 2 holds runs without a unit. strays are runs that
-- another release than that of their side did.

CREATE TABLE rollout_sums (
  rollout INTEGER NOT NULL,
  step INTEGER NOT NULL,
  side INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  strays INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  latency_count INTEGER NOT NULL,
  latency_sum REAL NOT NULL,
  latency_sq REAL NOT NULL,
  input_sum REAL NOT NULL,
  output_sum REAL NOT NULL,
  cached_sum REAL NOT NULL,
  input_sq REAL NOT NULL,
  output_sq REAL NOT NULL,
  cached_sq REAL NOT NULL,
  input_output REAL NOT NULL,
  input_cached REAL NOT NULL,
  output_cached REAL NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollout_parts (
  rollout INTEGER NOT NULL,
  step INTEGER NOT NULL,
  side INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  input_sum REAL NOT NULL,
  output_sum REAL NOT NULL,
  cached_sum REAL NOT NULL,
  write_sum REAL NOT NULL,
  input_sq REAL NOT NULL,
  output_sq REAL NOT NULL,
  cached_sq REAL NOT NULL,
  write_sq REAL NOT NULL,
  input_output REAL NOT NULL,
  input_cached REAL NOT NULL,
  input_write REAL NOT NULL,
  output_cached REAL NOT NULL,
  output_write REAL NOT NULL,
  cached_write REAL NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, variant)
) STRICT, WITHOUT ROWID;

-- What else limits of the policy are decided by: runs by bin of their latency, calls of tools, scores.

CREATE TABLE rollout_values (
  rollout INTEGER NOT NULL,
  step INTEGER NOT NULL,
  side INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  name TEXT NOT NULL,
  runs INTEGER NOT NULL,
  value_sum REAL NOT NULL,
  value_sq REAL NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, name)
) STRICT, WITHOUT ROWID;

-- Units that were seen in a step, by the number that assigned them, while it runs; and how many there were.

CREATE TABLE rollout_units (
  rollout INTEGER NOT NULL,
  step INTEGER NOT NULL,
  unit INTEGER NOT NULL,
  PRIMARY KEY (rollout, step, unit)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollout_counts (
  rollout INTEGER NOT NULL,
  step INTEGER NOT NULL,
  side INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (rollout, step, side, slot)
) STRICT, WITHOUT ROWID;
