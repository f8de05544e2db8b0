-- Tenants and tasks that rollups tell apart: of each agent in an environment the first 500 names of a kind. What has
-- another name is summed as segment 0. Rollups hold ids alone: an erasure empties the name of its tenant.

CREATE TABLE segments (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('tenant', 'task')),
  name TEXT COLLATE "C",
  UNIQUE (agent_id, environment, kind, name)
);

-- Events that are not in the sums by tenant and task yet, a row per batch that stored some: the first and last of their
-- numbers and of their hours, when they were stored (epoch ms), and all of their numbers as a JSON array. Whoever sums
-- them puts its mark there, and removes the row in the same transaction.

CREATE TABLE segments_unsummed (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  first_hour BIGINT NOT NULL,
  last_hour BIGINT NOT NULL,
  stored_at BIGINT NOT NULL,
  summed_by TEXT COLLATE "C",
  seqs TEXT COLLATE "C" NOT NULL
);

CREATE INDEX segments_unsummed_by ON segments_unsummed (summed_by) WHERE summed_by IS NOT NULL;

-- Epoch ms: sums by tenant and task of earlier hours are dropped.

ALTER TABLE retention ADD COLUMN segments_before BIGINT NOT NULL DEFAULT 0;

-- Sums per hour since the epoch and segment, as those of rollup_hours and rollup_part_hours.

CREATE TABLE rollup_tenant_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  segment BIGINT NOT NULL,
  variant BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
);

CREATE TABLE rollup_part_tenant_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  segment BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
);

CREATE TABLE rollup_task_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  segment BIGINT NOT NULL,
  variant BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
);

CREATE TABLE rollup_part_task_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  segment BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, segment, variant)
);
