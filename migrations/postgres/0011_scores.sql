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

-- Imports of evaluations whose cases are being sent. A row is gone once its import is finished, or a day after the last
-- part came: the parts go with it.

CREATE TABLE score_uploads (
  import_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  release_id TEXT COLLATE "C" NOT NULL REFERENCES releases (release_id),
  suite TEXT COLLATE "C" NOT NULL,
  touched_at BIGINT NOT NULL
);

-- The cases of an import, a row per request that brought some. `cases_json` has keys of cases and their scores, which
-- score_evaluations holds by a hash; `details_json` what is only shown, such as traces.

CREATE TABLE score_parts (
  import_id TEXT COLLATE "C" NOT NULL,
  part BIGINT NOT NULL,
  results BIGINT NOT NULL,
  cases_json TEXT COLLATE "C" NOT NULL,
  details_json TEXT COLLATE "C",
  PRIMARY KEY (import_id, part)
);

-- What an import says beside its scores: how its cases are told apart, the hash of its parts, who judged, and what ran.

CREATE TABLE score_evaluations (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES score_imports (import_id),
  parts BIGINT NOT NULL,
  facts_json TEXT COLLATE "C" NOT NULL
);

-- Names of cases by their keys, which are keyed hashes of them. Nothing else has the names: a row may be removed.

CREATE TABLE score_cases (
  case_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL
);

-- The key of those hashes; empty until the first case comes.

ALTER TABLE retention ADD COLUMN case_secret TEXT COLLATE "C" NOT NULL DEFAULT '';
