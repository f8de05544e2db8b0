-- Run events before events_before may be gone: what is sent of that time is not counted again. lease_until is when a
-- server may look for what is to go.

CREATE TABLE retention (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  events_before INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  erasure_key TEXT NOT NULL DEFAULT ''
) STRICT;

INSERT INTO retention (id, events_before, lease_until) VALUES (1, 0, 0);

-- Days (of 86,400,000 ms since the epoch) of a scope whose run events are not all there, though the rollups count them.
-- done is 1 where they were pruned to the last one.

CREATE TABLE event_gaps (
  scope INTEGER NOT NULL,
  day INTEGER NOT NULL,
  done INTEGER NOT NULL,
  PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;

-- That events of somebody were erased: how many, never whose.

CREATE TABLE erasures (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  erasure_id TEXT NOT NULL UNIQUE,
  actor TEXT NOT NULL,
  events INTEGER NOT NULL,
  archived_events INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Keyed hashes of the run_ids whose events were erased: such an event is never stored again.

CREATE TABLE erased_runs (
  hash TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What prunes, erases or restores run events: begun, and not yet ended. The counts grow in the batches that they count.
-- subject is '', and for an erasure the keyed hash of the tenant. archived_pending events of the file archived_path are
-- erased as soon as the manifest names its replacement.

CREATE TABLE retention_jobs (
  kind TEXT NOT NULL CHECK (kind IN ('prune', 'erase', 'restore')),
  subject TEXT NOT NULL,
  job_id TEXT NOT NULL UNIQUE,
  held_by TEXT NOT NULL,
  held_until INTEGER NOT NULL,
  events_before INTEGER NOT NULL,
  days INTEGER NOT NULL,
  events INTEGER NOT NULL,
  archived_events INTEGER NOT NULL,
  archived_path TEXT NOT NULL,
  archived_pending INTEGER NOT NULL,
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
