-- Sums per minute and per hour since the epoch. Sums are doubles: they can't overflow, and are exact to 2^53.
-- With the second moments of latency and tokens, mean and variance of cost follow under any price table.

CREATE TABLE rollup_minutes (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
);

CREATE TABLE rollup_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
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
  PRIMARY KEY (scope, bucket, variant)
);

-- How many runs took how long, per ten minutes and per day: a JSON object of counts by bin, each 2 % wide. They add up without
-- loss, so percentiles of any window follow. largest is the largest latency of largest_of runs.

CREATE TABLE rollup_latency_10m (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  largest BIGINT NOT NULL DEFAULT 0,
  largest_of BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
);

CREATE TABLE rollup_latency_1d (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  largest BIGINT NOT NULL DEFAULT 0,
  largest_of BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
);

-- Kept, not counted: a metrics scrape must not read the ledger. Slots spread concurrent writers.

CREATE TABLE counters (
  name TEXT COLLATE "C" NOT NULL,
  slot BIGINT NOT NULL,
  value BIGINT NOT NULL,
  PRIMARY KEY (name, slot)
);
