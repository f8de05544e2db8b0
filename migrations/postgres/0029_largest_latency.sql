-- The largest latency of each span of time, and of how many runs it is: a server of an older version adds counts
-- alone, so where `largest_of` is less than the counts add up to, `largest` isn't known.

ALTER TABLE rollup_latency_10m ADD COLUMN largest BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_latency_10m ADD COLUMN largest_of BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_latency_1d ADD COLUMN largest BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_latency_1d ADD COLUMN largest_of BIGINT NOT NULL DEFAULT 0;
