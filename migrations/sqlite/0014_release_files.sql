-- The files of a release's bundle: a hash of each, so that two releases can be told apart file by file, and the text
-- where who registered it asked for that.

CREATE TABLE release_files (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  release_id TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  text TEXT,
  UNIQUE (release_id, path)
) STRICT;

APPEND ONLY release_files (release_id = NEW.release_id AND path = NEW.path) SAYING 'releases are immutable';
