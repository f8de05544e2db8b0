-- Run events before events_before may be gone: what is sent of that time is not counted again. lease_until is when a
-- server may look for what is to go.

CREATE TABLE retention (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  events_before BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  erasure_key TEXT COLLATE "C" NOT NULL DEFAULT ''
);

INSERT INTO retention (id, events_before, lease_until) VALUES (1, 0, 0);

-- Days (of 86,400,000 ms since the epoch) of a scope whose run events are not all there, though the rollups count them.
-- done is 1 where they were pruned to the last one.

CREATE TABLE event_gaps (
  scope BIGINT NOT NULL,
  day BIGINT NOT NULL,
  done BIGINT NOT NULL,
  PRIMARY KEY (scope, day)
);

-- That events of somebody were erased: how many, never whose.

CREATE TABLE erasures (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  erasure_id TEXT COLLATE "C" NOT NULL UNIQUE,
  actor TEXT COLLATE "C" NOT NULL,
  events BIGINT NOT NULL,
  archived_events BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

-- Keyed hashes of the run_ids whose events were erased: such an event is never stored again.

CREATE TABLE erased_runs (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

-- What prunes, erases or restores run events: begun, and not yet ended. The counts grow in the batches that they count.
-- subject is '', and for an erasure the keyed hash of the tenant. archived_pending events of the file archived_path are
-- erased as soon as the manifest names its replacement.

CREATE TABLE retention_jobs (
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('prune', 'erase', 'restore')),
  subject TEXT COLLATE "C" NOT NULL,
  job_id TEXT COLLATE "C" NOT NULL UNIQUE,
  held_by TEXT COLLATE "C" NOT NULL,
  held_until BIGINT NOT NULL,
  events_before BIGINT NOT NULL,
  days BIGINT NOT NULL,
  events BIGINT NOT NULL,
  archived_events BIGINT NOT NULL,
  archived_path TEXT COLLATE "C" NOT NULL,
  archived_pending BIGINT NOT NULL,
  PRIMARY KEY (kind, subject)
);
