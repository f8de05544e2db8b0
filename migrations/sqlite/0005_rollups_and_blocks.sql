-- Sums per minute and per hour since the epoch. Sums are doubles: they can't overflow, and are exact to 2^53.
-- With the second moments of latency and tokens, mean and variance of cost follow under any price table.

CREATE TABLE rollup_minutes (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
) STRICT, WITHOUT ROWID;

-- The newest event that the rollups include.

CREATE TABLE rollup_mark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

INSERT INTO rollup_mark (id, seq) VALUES (1, 0);

-- How many runs took how long, per ten minutes and per day: a JSON object of counts by bin, each 2 % wide. They add up without
-- loss, so percentiles of any window follow. largest is the largest latency of largest_of runs.

CREATE TABLE rollup_latency_10m (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  largest INTEGER NOT NULL DEFAULT 0,
  largest_of INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_latency_1d (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  largest INTEGER NOT NULL DEFAULT 0,
  largest_of INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;

-- The times of the events of a block: 4096 numbers. What came behind the last row may be of any time.

CREATE TABLE event_blocks (
  block INTEGER PRIMARY KEY,
  min_ts INTEGER NOT NULL,
  max_ts INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT;

-- Kept, not counted: a metrics scrape must not read the ledger. Slots spread concurrent writers.

CREATE TABLE counters (
  name TEXT NOT NULL,
  slot INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, slot)
) STRICT, WITHOUT ROWID;
