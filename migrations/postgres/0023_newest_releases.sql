-- The newest release of a place is sought, however many came before it.

CREATE INDEX releases_newest ON releases (agent_id, environment, seq);
