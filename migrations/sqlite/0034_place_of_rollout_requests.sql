-- What is open in a place includes requests for rollouts, so their changes are changes of the place.

CREATE TRIGGER place_of_rollout_request AFTER INSERT ON rollout_requests
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;

CREATE TRIGGER place_of_ended_rollout_request AFTER UPDATE OF status ON rollout_requests
BEGIN
  UPDATE place_answers SET changes = changes + 1 WHERE agent_id = NEW.agent_id AND environment = NEW.environment;
END;
