-- Watches of what was promoted: a live release is compared with the one before, check by check. due_at is when it may next be
-- checked, lease who did so last; limits_json and rollback_json are as they are answered. retry_json says what blocked its
-- rollback, how often, and when that is tried again; NULL where it is not.

CREATE TABLE watches (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  watch_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  release_id TEXT COLLATE "C" NOT NULL,
  baseline_release_id TEXT COLLATE "C" NOT NULL,
  action_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL
    CHECK (state IN ('watching', 'passed', 'regressed', 'inconclusive', 'rolled_back', 'superseded')),
  auto_rollback BIGINT NOT NULL,
  min_runs BIGINT NOT NULL,
  limits_json TEXT COLLATE "C" NOT NULL,
  baseline_since BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL,
  started_by TEXT COLLATE "C" NOT NULL,
  checks BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  lease TEXT COLLATE "C",
  ended_at BIGINT,
  ended_because TEXT COLLATE "C",
  ended_by TEXT COLLATE "C",
  rollback_json TEXT COLLATE "C",
  retry_json TEXT
);

-- A place has one watch at a time.

CREATE UNIQUE INDEX watches_running ON watches (agent_id, environment) WHERE state = 'watching';

CREATE INDEX watches_due ON watches (state, due_at);

CREATE INDEX watches_by_place ON watches (agent_id, environment, seq);

CREATE INDEX watches_retrying ON watches (due_at) WHERE retry_json IS NOT NULL;

-- The last checks of each.

CREATE TABLE watch_checks (
  watch_id TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  check_json TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (watch_id, number)
);
