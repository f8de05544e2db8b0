-- A rollback of a watch that was blocked is tried again: what blocked it, how often, and when it is next. NULL where it
-- is not, or not any more.

ALTER TABLE watches ADD COLUMN retry_json TEXT;

CREATE INDEX watches_retrying ON watches (due_at) WHERE retry_json IS NOT NULL;
