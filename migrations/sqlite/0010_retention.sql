-- Run events before events_before may be gone: what is sent of that time is not counted again. lease_until is when a
-- server may look for what is to go.

CREATE TABLE retention (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  events_before INTEGER NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT;

INSERT INTO retention (id, events_before, lease_until) VALUES (1, 0, 0);

-- Days (of 86,400,000 ms since the epoch) of a scope whose run events are not all there, though the roll-ups count them.
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
