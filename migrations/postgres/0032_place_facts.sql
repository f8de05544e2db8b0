-- A row of each place that the board shows. facts_json says what is live, newest, requested and open there, as it was read at
-- facts_stamp: each change of that counts `changes` up. The others are of the last evaluation, NULL before the first.

DROP TABLE place_answers;

CREATE TABLE place_answers (
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  changes BIGINT NOT NULL DEFAULT 0,
  facts_stamp TEXT,
  facts_json TEXT,
  stamp TEXT,
  evaluated_at BIGINT,
  answer_json TEXT,
  PRIMARY KEY (agent_id, environment)
);

INSERT INTO place_answers (agent_id, environment)
SELECT agent_id, environment FROM releases UNION SELECT agent_id, environment FROM promoted_pointers;

-- With the rights of who migrates: whoever may decide needs no right to this table for it.

CREATE FUNCTION mark_place() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  place RECORD;
BEGIN
  place := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  INSERT INTO place_answers (agent_id, environment) VALUES (place.agent_id, place.environment)
  ON CONFLICT (agent_id, environment) DO UPDATE SET changes = place_answers.changes + 1;
  RETURN NULL;
END
$$;

CREATE TRIGGER place_of_release AFTER INSERT ON releases
FOR EACH ROW EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_pointer AFTER INSERT OR DELETE OR UPDATE ON promoted_pointers
FOR EACH ROW EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_action AFTER INSERT ON actions
FOR EACH ROW EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_request AFTER INSERT OR UPDATE OF status ON promotion_requests
FOR EACH ROW EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_watch AFTER INSERT ON watches
FOR EACH ROW EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_ended_watch AFTER UPDATE OF state ON watches
FOR EACH ROW WHEN (new.state <> old.state) EXECUTE FUNCTION mark_place();

CREATE TRIGGER place_of_rollout AFTER INSERT OR UPDATE OF state, step, steps_json ON rollouts
FOR EACH ROW EXECUTE FUNCTION mark_place();
