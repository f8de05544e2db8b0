-- Who has acknowledged capabilities of a release that the live one lacks, by the SHA-256 of the capabilities of both. `changes_json` has the
-- difference as it was seen, actor_identity whom an identity provider vouches for: issuer and subject as JSON.

CREATE TABLE acknowledgements (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acknowledgement_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  release_id TEXT COLLATE "C" NOT NULL REFERENCES releases (release_id),
  baseline_release_id TEXT COLLATE "C" NOT NULL,
  baseline_sha256 TEXT COLLATE "C" NOT NULL,
  candidate_sha256 TEXT COLLATE "C" NOT NULL,
  changes_json TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  claimed_actor TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  actor_identity TEXT COLLATE "C"
);

CREATE INDEX acknowledgements_place ON acknowledgements (agent_id, environment, seq);

-- Names of tools and models that runs used beyond the capabilities of their release: the first 200 of each release in an
-- environment. What has another name is summed under the empty one. `notice_id` is set when receivers are told of a name.

CREATE TABLE capability_names (
  scope BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('tool', 'model')),
  name TEXT COLLATE "C" NOT NULL,
  notice_id TEXT COLLATE "C",
  PRIMARY KEY (scope, kind, name)
);

CREATE INDEX capability_names_untold ON capability_names (scope) WHERE notice_id IS NULL;

-- How many runs used them, and how many calls of tools there were, per minute and per hour.

CREATE TABLE rollup_capability_minutes (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  calls DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (scope, bucket, kind, name)
);

CREATE TABLE rollup_capability_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  calls DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (scope, bucket, kind, name)
);
