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
