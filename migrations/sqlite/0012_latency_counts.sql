-- How many runs took how long, per ten minutes and per day: a JSON object of counts by bin, each 2 % wide. They
-- add up without loss, so percentiles of any window follow.

CREATE TABLE rollup_latency_10m (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_latency_1d (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (scope, bucket)
) STRICT, WITHOUT ROWID;
