-- Where sums of runs come from that were never sent here one by one. query_sha256 is that of the query that makes them;
-- run_url says where its runs can be looked at, with {release}, {from_ms} and {to_ms}.

CREATE TABLE aggregate_sources (
  source TEXT NOT NULL PRIMARY KEY,
  engine TEXT NOT NULL,
  query_sha256 TEXT NOT NULL,
  run_url TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL
) STRICT;

-- From that day on (of 86,400,000 ms since the epoch) the runs of a scope are those that sources sum: events of such days
-- are not stored.

CREATE TABLE aggregate_feeds (
  feed_id TEXT NOT NULL PRIMARY KEY,
  scope INTEGER NOT NULL,
  source TEXT NOT NULL REFERENCES aggregate_sources (source),
  from_day INTEGER NOT NULL,
  UNIQUE (scope, source)
) STRICT;

-- What a source said last of an hour (of 3,600,000 ms since the epoch): as it was at as_of, up to covered_to, both epoch
-- ms. digest is SHA-256 of its aggregates, whatever their order.

CREATE TABLE aggregate_hours (
  source TEXT NOT NULL REFERENCES aggregate_sources (source),
  hour INTEGER NOT NULL,
  as_of INTEGER NOT NULL,
  covered_to INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  digest TEXT NOT NULL,
  import_id TEXT NOT NULL,
  PRIMARY KEY (source, hour)
) STRICT, WITHOUT ROWID;

-- The record of it: the sums of an hour of a scope, a JSON array for each kind. The rollups of that hour are what the aggregates of all sources add
-- up to.

CREATE TABLE aggregates (
  scope INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  source TEXT NOT NULL REFERENCES aggregate_sources (source),
  width_ms INTEGER NOT NULL,
  aggregates INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  digest TEXT NOT NULL,
  runs_json TEXT,
  parts_json TEXT,
  scores_json TEXT,
  latency_json TEXT,
  tenant_runs_json TEXT,
  tenant_parts_json TEXT,
  task_runs_json TEXT,
  task_parts_json TEXT,
  PRIMARY KEY (scope, hour, source)
) STRICT;

CREATE INDEX aggregates_by_source ON aggregates (source, hour);

CREATE TABLE aggregate_imports (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL REFERENCES aggregate_sources (source),
  query_sha256 TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  as_of INTEGER NOT NULL,
  fetched_at INTEGER NOT NULL,
  aggregates INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  replaced INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  actor TEXT NOT NULL
) STRICT;

CREATE INDEX aggregate_imports_source ON aggregate_imports (source, seq);

-- Whoever writes aggregates changes this row first: two sources of one release can't overlook each other.

CREATE TABLE aggregate_writes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  writes INTEGER NOT NULL
) STRICT;

INSERT INTO aggregate_writes (id, writes) VALUES (1, 0);

-- Until when a server asks the engine of a source, epoch ms of the database's clock.

CREATE TABLE aggregate_leases (
  source TEXT NOT NULL PRIMARY KEY,
  lease_until INTEGER NOT NULL
) STRICT;

-- Of a day whose runs are kept as sums alone: how wide the narrowest of them are, whose they are, and where the runs can be
-- looked at. Of other days events were pruned or erased.

ALTER TABLE event_gaps ADD COLUMN width_ms INTEGER;

ALTER TABLE event_gaps ADD COLUMN kept_by TEXT;

ALTER TABLE event_gaps ADD COLUMN run_url TEXT;

-- A credential that is good for the aggregates of this source alone; NULL for all others.

ALTER TABLE tokens ADD COLUMN source TEXT;
