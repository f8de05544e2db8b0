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

CREATE TRIGGER release_files_no_update BEFORE UPDATE ON release_files
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TRIGGER release_files_no_delete BEFORE DELETE ON release_files
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;

CREATE TRIGGER release_files_no_replace BEFORE INSERT ON release_files
WHEN EXISTS (SELECT 1 FROM release_files WHERE release_id = NEW.release_id AND path = NEW.path)
BEGIN
  SELECT RAISE(ABORT, 'releases are immutable');
END;
