-- Keyed hashes of the run_ids whose events were erased: such an event is never stored again.

CREATE TABLE erased_runs (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

-- The key of those hashes, `id.secret`; empty until something is erased.

ALTER TABLE retention ADD COLUMN erasure_key TEXT COLLATE "C" NOT NULL DEFAULT '';

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
