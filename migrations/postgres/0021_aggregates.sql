-- Where sums of runs come from that were never sent here one by one. query_sha256 is that of the query that makes them;
-- run_url says where its runs can be looked at, with {release}, {from_ms} and {to_ms}.

CREATE TABLE aggregate_sources (
  source TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  engine TEXT COLLATE "C" NOT NULL,
  query_sha256 TEXT COLLATE "C" NOT NULL,
  run_url TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL
);

-- From that day on (of 86,400,000 ms since the epoch) the runs of a scope are those that sources sum: events of such days
-- are not stored.

CREATE TABLE aggregate_feeds (
  feed_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  scope BIGINT NOT NULL,
  source TEXT COLLATE "C" NOT NULL REFERENCES aggregate_sources (source),
  from_day BIGINT NOT NULL,
  UNIQUE (scope, source)
);

-- What a source said last of an hour (of 3,600,000 ms since the epoch): as it was at as_of, up to covered_to, both epoch
-- ms. digest is SHA-256 of its aggregates, whatever their order.

CREATE TABLE aggregate_hours (
  source TEXT COLLATE "C" NOT NULL REFERENCES aggregate_sources (source),
  hour BIGINT NOT NULL,
  as_of BIGINT NOT NULL,
  covered_to BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  import_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (source, hour)
);

-- The record of it: the sums of an hour of a scope, a JSON array for each kind. The rollups of that hour are what the aggregates of all sources add
-- up to.

CREATE TABLE aggregates (
  scope BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  source TEXT COLLATE "C" NOT NULL REFERENCES aggregate_sources (source),
  width_ms BIGINT NOT NULL,
  aggregates BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  runs_json TEXT COLLATE "C",
  parts_json TEXT COLLATE "C",
  scores_json TEXT COLLATE "C",
  latency_json TEXT COLLATE "C",
  tenant_runs_json TEXT COLLATE "C",
  tenant_parts_json TEXT COLLATE "C",
  task_runs_json TEXT COLLATE "C",
  task_parts_json TEXT COLLATE "C",
  PRIMARY KEY (scope, hour, source)
);

CREATE INDEX aggregates_by_source ON aggregates (source, hour);

CREATE TABLE aggregate_imports (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id TEXT COLLATE "C" NOT NULL UNIQUE,
  source TEXT COLLATE "C" NOT NULL REFERENCES aggregate_sources (source),
  query_sha256 TEXT COLLATE "C" NOT NULL,
  from_ms BIGINT NOT NULL,
  to_ms BIGINT NOT NULL,
  as_of BIGINT NOT NULL,
  fetched_at BIGINT NOT NULL,
  aggregates BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  replaced BIGINT NOT NULL,
  removed BIGINT NOT NULL,
  actor TEXT COLLATE "C" NOT NULL
);

CREATE INDEX aggregate_imports_source ON aggregate_imports (source, seq);

-- Whoever writes aggregates changes this row first: two sources of one release can't overlook each other.

CREATE TABLE aggregate_writes (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  writes BIGINT NOT NULL
);

INSERT INTO aggregate_writes (id, writes) VALUES (1, 0);

-- Until when a server asks the engine of a source, epoch ms of the database's clock.

CREATE TABLE aggregate_leases (
  source TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  lease_until BIGINT NOT NULL
);

-- Of a day whose runs are kept as sums alone: how wide the narrowest of them are, whose they are, and where the runs can be
-- looked at. Of other days events were pruned or erased.

ALTER TABLE event_gaps ADD COLUMN width_ms BIGINT;

ALTER TABLE event_gaps ADD COLUMN kept_by TEXT COLLATE "C";

ALTER TABLE event_gaps ADD COLUMN run_url TEXT COLLATE "C";

-- A credential that is good for the aggregates of this source alone; NULL for all others.

ALTER TABLE tokens ADD COLUMN source TEXT COLLATE "C";
