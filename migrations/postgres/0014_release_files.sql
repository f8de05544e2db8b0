-- The files of a release's bundle: a hash of each, so that two releases can be told apart file by file, and the text
-- where who registered it asked for that.

CREATE TABLE release_files (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  release_id TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  text TEXT COLLATE "C",
  UNIQUE (release_id, path)
);

CREATE TRIGGER release_files_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON release_files
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('releases are immutable');
