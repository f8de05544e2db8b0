-- Keyed hashes of the run_ids whose events were erased: such an event is never stored again.

CREATE TABLE erased_runs (
  hash TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The key of those hashes, `id.secret`; empty until something is erased.

ALTER TABLE retention ADD COLUMN erasure_key TEXT NOT NULL DEFAULT '';

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
