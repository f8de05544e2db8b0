-- What a run used beside the tokens of its own model: those of other models, and what it wrote to a cache. A row
-- per event and variant, so that events which used one model and no cache cost nothing here.

CREATE TABLE run_parts (
  event INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  scope INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_input_tokens INTEGER NOT NULL,
  PRIMARY KEY (event, variant)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_parts_scope_ts ON run_parts (scope, ts);

-- Their sums and second moments per minute and per hour, as those of events.

CREATE TABLE rollup_part_minutes (
  scope INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_part_hours (
  scope INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
) STRICT, WITHOUT ROWID;
