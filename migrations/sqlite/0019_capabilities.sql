-- Who has acknowledged capabilities of a release that the live one lacks, by the SHA-256 of the capabilities of both. `changes_json` has the
-- difference as it was seen, actor_identity whom an identity provider vouches for: issuer and subject as JSON.

CREATE TABLE acknowledgements (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  acknowledgement_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  release_id TEXT NOT NULL REFERENCES releases (release_id),
  baseline_release_id TEXT NOT NULL,
  baseline_sha256 TEXT NOT NULL,
  candidate_sha256 TEXT NOT NULL,
  changes_json TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_source TEXT NOT NULL,
  claimed_actor TEXT,
  created_at INTEGER NOT NULL,
  actor_identity TEXT
) STRICT;

CREATE INDEX acknowledgements_place ON acknowledgements (agent_id, environment, seq);

-- Names of tools and models that runs used beyond the capabilities of their release: the first 200 of each release in an
-- environment. What has another name is summed under the empty one. `notice_id` is set when receivers are told of a name.

CREATE TABLE capability_names (
  scope INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'model')),
  name TEXT NOT NULL,
  notice_id TEXT,
  PRIMARY KEY (scope, kind, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX capability_names_untold ON capability_names (scope) WHERE notice_id IS NULL;

-- How many runs used them, and how many calls of tools there were, per minute and per hour.

CREATE TABLE rollup_capability_minutes (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  runs INTEGER NOT NULL,
  calls REAL NOT NULL,
  PRIMARY KEY (scope, bucket, kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_capability_hours (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  runs INTEGER NOT NULL,
  calls REAL NOT NULL,
  PRIMARY KEY (scope, bucket, kind, name)
) STRICT, WITHOUT ROWID;
