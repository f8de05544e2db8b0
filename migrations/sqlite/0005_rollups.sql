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

-- The newest event that the roll-ups include.

CREATE TABLE rollup_mark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

INSERT INTO rollup_mark (id, seq) VALUES (1, 0);

-- Kept, not counted: a metrics scrape must not read the ledger. Slots spread concurrent writers.

CREATE TABLE counters (
  name TEXT NOT NULL,
  slot INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, slot)
) STRICT, WITHOUT ROWID;
