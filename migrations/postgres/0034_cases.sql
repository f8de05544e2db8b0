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
