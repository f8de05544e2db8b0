-- Tenants and tasks that rollups tell apart: of each agent in an environment the first 500 names of a kind. What has
-- another name is summed as segment 0. Rollups hold ids alone: an erasure empties the name of its tenant.

CREATE TABLE segments (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tenant', 'task')),
  name TEXT,
  UNIQUE (agent_id, environment, kind, name)
) STRICT;

-- Events that are not in the sums by tenant and task yet, a row per batch that stored some: the first and last of their
-- numbers and of their hours, when they were stored (epoch ms), and all of their numbers as a JSON array. Whoever sums
-- them puts its mark there, and removes the row in the same transaction.

CREATE TABLE segments_unsummed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  first_hour INTEGER NOT NULL,
  last_hour INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  summed_by TEXT,
  seqs TEXT NOT NULL
) STRICT;

CREATE INDEX segments_unsummed_by ON segments_unsummed (summed_by) WHERE summed_by IS NOT NULL;

-- Epoch ms: sums by tenant and task of earlier hours are dropped.

ALTER TABLE retention ADD COLUMN segments_before INTEGER NOT NULL DEFAULT 0;

-- Sums per hour since the epoch and segment, as those of rollup_hours and rollup_part_hours.

CREATE TABLE rollup_tenant_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  variant INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_part_tenant_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  segment INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_task_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  variant INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_part_task_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  segment INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
) STRICT, WITHOUT ROWID;
