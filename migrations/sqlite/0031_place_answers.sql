-- What was found of each place the last time that somebody looked, without names of tenants and tasks. The board shows it.

CREATE TABLE place_answers (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  stamp TEXT NOT NULL,
  evaluated_at INTEGER NOT NULL,
  answer_json TEXT NOT NULL,
  PRIMARY KEY (agent_id, environment)
) STRICT, WITHOUT ROWID;
