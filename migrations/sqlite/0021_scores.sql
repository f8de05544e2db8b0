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
