-- Scores of runs, in millionths: a row per event and name, so that events without scores cost nothing here.

CREATE TABLE run_scores (
  event BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  scope BIGINT NOT NULL,
  ts BIGINT NOT NULL,
  score BIGINT NOT NULL,
  PRIMARY KEY (event, name)
);

CREATE INDEX run_scores_scope_ts ON run_scores (scope, ts);

-- Their sums per minute and per hour, as those of events.

CREATE TABLE rollup_score_minutes (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  score_sum DOUBLE PRECISION NOT NULL,
  score_sq DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (scope, bucket, name)
);

CREATE TABLE rollup_score_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  score_sum DOUBLE PRECISION NOT NULL,
  score_sq DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (scope, bucket, name)
);

-- Evaluations that were made of a release elsewhere, one row each: they are no runs. `scores_json` has by name how many
-- cases were scored, the sum and the sum of squares in millionths.

CREATE TABLE score_imports (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id TEXT COLLATE "C" NOT NULL UNIQUE,
  release_id TEXT COLLATE "C" NOT NULL REFERENCES releases (release_id),
  suite TEXT COLLATE "C" NOT NULL,
  format TEXT COLLATE "C",
  source_sha256 TEXT COLLATE "C",
  cases BIGINT NOT NULL,
  scores_json TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX score_imports_release ON score_imports (release_id, suite, seq);
