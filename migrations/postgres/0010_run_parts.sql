-- What a run used beside the tokens of its own model: those of other models, and what it wrote to a cache. A row
-- per event and variant, so that events which used one model and no cache cost nothing here.

CREATE TABLE run_parts (
  event BIGINT NOT NULL,
  variant BIGINT NOT NULL,
  scope BIGINT NOT NULL,
  ts BIGINT NOT NULL,
  tenant_id TEXT COLLATE "C" NOT NULL,
  task_id TEXT COLLATE "C" NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT NOT NULL,
  cache_write_input_tokens BIGINT NOT NULL,
  PRIMARY KEY (event, variant)
);

CREATE INDEX run_parts_scope_ts ON run_parts (scope, ts);

-- Their sums and second moments per minute and per hour, as those of events.

CREATE TABLE rollup_part_minutes (
  scope BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
);

CREATE TABLE rollup_part_hours (
  scope BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
);
