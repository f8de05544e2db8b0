-- What was found of each place the last time that somebody looked, without names of tenants and tasks. The board shows it.

CREATE TABLE place_answers (
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  stamp TEXT NOT NULL,
  evaluated_at BIGINT NOT NULL,
  answer_json TEXT NOT NULL,
  PRIMARY KEY (agent_id, environment)
);
