-- How many runs took how long, per ten minutes and per day: a JSON object of counts by bin, each 2 % wide. They
-- add up without loss, so percentiles of any window follow.

CREATE TABLE rollup_latency_10m (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, bucket)
);

CREATE TABLE rollup_latency_1d (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, bucket)
);
