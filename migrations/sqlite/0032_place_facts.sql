-- A row of each place that the board shows. facts_json says what is live, newest, requested and open there, as it was read at
-- facts_stamp: each change of that counts `changes` up. The others are of the last evaluation, NULL before the first.

DROP TABLE place_answers;

CREATE TABLE place_answers (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  changes INTEGER NOT NULL DEFAULT 0,
  facts_stamp TEXT,
  facts_json TEXT,
  stamp TEXT,
  evaluated_at INTEGER,
  answer_json TEXT,
  PRIMARY KEY (agent_id, environment)
) STRICT, WITHOUT ROWID;

INSERT INTO place_answers (agent_id, environment)
SELECT agent_id, environment FROM releases UNION SELECT agent_id, environment FROM promoted_pointers;

CREATE TRIGGER place_of_release AFTER INSERT ON releases
BEGIN
  INSERT INTO place_answers (agent_id, environment) VALUES (NEW.agent_id, NEW.environment)
  ON CONFLICT (agent_id, environment) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER place_of_pointer AFTER INSERT ON promoted_pointers
BEGIN
  INSERT INTO place_answers (agent_id, environment) VALUES (NEW.agent_id, NEW.environment)
  ON CONFLICT (agent_id, environment) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER place_of_moved_pointer AFTER UPDATE ON promoted_pointers
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_lost_pointer AFTER DELETE ON promoted_pointers
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = OLD.agent_id AND environment = OLD.environment;
END;

CREATE TRIGGER place_of_action AFTER INSERT ON actions
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_request AFTER INSERT ON promotion_requests
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_ended_request AFTER UPDATE OF status ON promotion_requests
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_watch AFTER INSERT ON watches
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_ended_watch AFTER UPDATE OF state ON watches WHEN NEW.state <> OLD.state
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_rollout AFTER INSERT ON rollouts
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_moved_rollout AFTER UPDATE OF state, step, steps_json ON rollouts
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;
