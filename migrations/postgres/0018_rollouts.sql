-- Rollouts: two releases side by side, units split by chance. steps_json is as it is answered, limits_json what the guard
-- judges by; due_at is when one may next be checked, lease who did so last, check_json what was seen.

CREATE TABLE rollouts (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rollout_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  candidate_release_id TEXT COLLATE "C" NOT NULL,
  baseline_release_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('running', 'paused', 'completed', 'aborted', 'superseded', 'expired')),
  unit TEXT COLLATE "C" NOT NULL CHECK (unit IN ('session', 'tenant', 'user')),
  steps_json TEXT COLLATE "C" NOT NULL,
  step BIGINT NOT NULL,
  limits_json TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  started_by TEXT COLLATE "C" NOT NULL,
  started_by_json TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL,
  hold_json TEXT COLLATE "C",
  hold_until BIGINT,
  ended_at BIGINT,
  because TEXT COLLATE "C",
  changed_by TEXT COLLATE "C" NOT NULL,
  action_id TEXT COLLATE "C",
  attempts BIGINT NOT NULL,
  checks BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  lease TEXT COLLATE "C",
  check_json TEXT COLLATE "C"
);

-- A place has one rollout at a time.

CREATE UNIQUE INDEX rollouts_open ON rollouts (agent_id, environment) WHERE state IN ('running', 'paused');

CREATE INDEX rollouts_by_place ON rollouts (agent_id, environment, seq);

CREATE INDEX rollouts_held ON rollouts (hold_until) WHERE hold_until IS NOT NULL;

-- Rollouts that were asked for and wait for a confirmation. input_json is what they are to be.

CREATE TABLE rollout_requests (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id TEXT COLLATE "C" NOT NULL UNIQUE,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled')),
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  candidate_release_id TEXT COLLATE "C" NOT NULL,
  baseline_release_id TEXT COLLATE "C" NOT NULL,
  input_json TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  claimed_actor TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  approvals_required BIGINT NOT NULL,
  approvals_json TEXT COLLATE "C" NOT NULL,
  resolved_at BIGINT,
  resolved_by TEXT COLLATE "C",
  resolution TEXT COLLATE "C",
  resolution_reason TEXT COLLATE "C",
  rollout_id TEXT COLLATE "C"
);

-- What batches of events were assigned by: it changes with every rollout and step.

CREATE TABLE rollout_mark (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  changed_by TEXT COLLATE "C" NOT NULL,
  assignment_key TEXT COLLATE "C" NOT NULL
);

INSERT INTO rollout_mark (id, changed_by, assignment_key) VALUES (1, '', '');

-- Runs as they were assigned: side 0 is the baseline, 1 the candidate, 2 holds runs without a unit. strays are runs that
-- another release than that of their side did.

CREATE TABLE rollout_sums (
  rollout BIGINT NOT NULL,
  step BIGINT NOT NULL,
  side BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  variant BIGINT NOT NULL,
  strays BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  latency_count BIGINT NOT NULL,
  latency_sum DOUBLE PRECISION NOT NULL,
  latency_sq DOUBLE PRECISION NOT NULL,
  input_sum DOUBLE PRECISION NOT NULL,
  output_sum DOUBLE PRECISION NOT NULL,
  cached_sum DOUBLE PRECISION NOT NULL,
  input_sq DOUBLE PRECISION NOT NULL,
  output_sq DOUBLE PRECISION NOT NULL,
  cached_sq DOUBLE PRECISION NOT NULL,
  input_output DOUBLE PRECISION NOT NULL,
  input_cached DOUBLE PRECISION NOT NULL,
  output_cached DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, variant)
);

CREATE TABLE rollout_parts (
  rollout BIGINT NOT NULL,
  step BIGINT NOT NULL,
  side BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  variant BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  input_sum DOUBLE PRECISION NOT NULL,
  output_sum DOUBLE PRECISION NOT NULL,
  cached_sum DOUBLE PRECISION NOT NULL,
  write_sum DOUBLE PRECISION NOT NULL,
  input_sq DOUBLE PRECISION NOT NULL,
  output_sq DOUBLE PRECISION NOT NULL,
  cached_sq DOUBLE PRECISION NOT NULL,
  write_sq DOUBLE PRECISION NOT NULL,
  input_output DOUBLE PRECISION NOT NULL,
  input_cached DOUBLE PRECISION NOT NULL,
  input_write DOUBLE PRECISION NOT NULL,
  output_cached DOUBLE PRECISION NOT NULL,
  output_write DOUBLE PRECISION NOT NULL,
  cached_write DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, variant)
);

-- What else limits of the policy are decided by: runs by bin of their latency, calls of tools, scores.

CREATE TABLE rollout_values (
  rollout BIGINT NOT NULL,
  step BIGINT NOT NULL,
  side BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  value_sum DOUBLE PRECISION NOT NULL,
  value_sq DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (rollout, step, side, bucket, name)
);

-- Units that were seen in a step, by the number that assigned them, while it runs; and how many there were.

CREATE TABLE rollout_units (
  rollout BIGINT NOT NULL,
  step BIGINT NOT NULL,
  unit BIGINT NOT NULL,
  PRIMARY KEY (rollout, step, unit)
);

CREATE TABLE rollout_counts (
  rollout BIGINT NOT NULL,
  step BIGINT NOT NULL,
  side BIGINT NOT NULL,
  slot BIGINT NOT NULL,
  units BIGINT NOT NULL,
  PRIMARY KEY (rollout, step, side, slot)
);
