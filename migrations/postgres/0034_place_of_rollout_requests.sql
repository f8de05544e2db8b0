-- What is open in a place includes requests for rollouts, so their changes are changes of the place.

CREATE TRIGGER place_of_rollout_request AFTER INSERT OR UPDATE OF status ON rollout_requests
FOR EACH ROW EXECUTE FUNCTION mark_place();
