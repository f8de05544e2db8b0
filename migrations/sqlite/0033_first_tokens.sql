-- How many runs of a release took how long to their first token, by bins as of latencies. Each run's is among its scores.

CREATE TABLE rollup_ttft_10m (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  largest INTEGER NOT NULL DEFAULT 0,
  largest_of INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_ttft_1d (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  largest INTEGER NOT NULL DEFAULT 0,
  largest_of INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;
