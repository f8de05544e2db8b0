-- What sources of runs send that isn't counted: numbers that aren't read, releases that aren't known, and how many runs recorders
-- dropped, by the hour. hour is 0 for all but those; said_at is when an answer last said it.

CREATE TABLE source_notes (
  kind TEXT NOT NULL,
  release_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  hour BIGINT NOT NULL,
  text TEXT NOT NULL,
  count BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  said_at BIGINT NOT NULL,
  PRIMARY KEY (kind, release_id, environment, hour, text)
);

CREATE INDEX source_notes_last ON source_notes (last_at);
