-- Scores of runs, in millionths: a row per event and name, so that events without scores cost nothing here.

CREATE TABLE run_scores (
  event INTEGER NOT NULL,
  name TEXT NOT NULL,
  scope INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  score INTEGER NOT NULL,
  PRIMARY KEY (event, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_scores_scope_ts ON run_scores (scope, ts);

-- Their sums per minute and per hour, as those of events.

CREATE TABLE rollup_score_minutes (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  name TEXT NOT NULL,
  runs INTEGER NOT NULL,
  score_sum REAL NOT NULL,
  score_sq REAL NOT NULL,
  PRIMARY KEY (scope, bucket, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_score_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  name TEXT NOT NULL,
  runs INTEGER NOT NULL,
  score_sum REAL NOT NULL,
  score_sq REAL NOT NULL,
  PRIMARY KEY (scope, bucket, name)
) STRICT, WITHOUT ROWID;

-- Evaluations that were made of a release elsewhere, one row each: they are no runs. `scores_json` has by name how many
-- cases were scored, the sum and the sum of squares in millionths.

CREATE TABLE score_imports (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT NOT NULL UNIQUE,
  release_id TEXT NOT NULL REFERENCES releases (release_id),
  suite TEXT NOT NULL,
  format TEXT,
  source_sha256 TEXT,
  cases INTEGER NOT NULL,
  scores_json TEXT NOT NULL,
  actor TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX score_imports_release ON score_imports (release_id, suite, seq);

-- Imports of evaluations whose cases are being sent. A row is gone once its import is finished, or a day after the last
-- part came: the parts go with it.

CREATE TABLE score_uploads (
  import_id TEXT NOT NULL PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (release_id),
  suite TEXT NOT NULL,
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The cases of an import, a row per request that brought some. `cases_json` has keys of cases and their scores, which
-- score_evaluations holds by a hash; `details_json` what is only shown, such as traces.

CREATE TABLE score_parts (
  import_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  results INTEGER NOT NULL,
  cases_json TEXT NOT NULL,
  details_json TEXT,
  PRIMARY KEY (import_id, part)
) STRICT;

-- What an import says beside its scores: how its cases are told apart, the hash of its parts, who judged, and what ran.

CREATE TABLE score_evaluations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT NOT NULL UNIQUE REFERENCES score_imports (import_id),
  parts INTEGER NOT NULL,
  facts_json TEXT NOT NULL
) STRICT;

-- Names of cases by their keys, which are keyed hashes of them. Nothing else has the names: a row may be removed.

CREATE TABLE score_cases (
  case_key TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of those hashes; empty until the first case comes.

ALTER TABLE retention ADD COLUMN case_secret TEXT NOT NULL DEFAULT '';
