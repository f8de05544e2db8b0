-- Days that have sums by the hour. Of a day that is over some of the sums of all its hours, and `hours`, those by which a
-- comparison cuts its time; all of them are NULL until the day is packed, and again once one of its hours changes.

CREATE TABLE rollup_days (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  runs BIGINT,
  errors BIGINT,
  latency_count BIGINT,
  latency_sum DOUBLE PRECISION,
  tokens DOUBLE PRECISION,
  hours TEXT COLLATE "C",
  PRIMARY KEY (scope, bucket)
);

CREATE INDEX rollup_days_open ON rollup_days (bucket) WHERE runs IS NULL;

INSERT INTO rollup_days (scope, bucket) SELECT DISTINCT scope, bucket / 24 FROM rollup_hours;

-- With the rights of who migrates, like mark_place.

CREATE FUNCTION open_days() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO rollup_days (scope, bucket) SELECT DISTINCT scope, bucket / 24 FROM changed ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE rollup_days SET
    runs = NULL, errors = NULL, latency_count = NULL, latency_sum = NULL, tokens = NULL, hours = NULL
  WHERE runs IS NOT NULL AND (scope, bucket) IN (SELECT c.scope, c.bucket / 24 FROM changed c);
  RETURN NULL;
END
$$;

CREATE TRIGGER day_of_new_hour AFTER INSERT ON rollup_hours
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION open_days();

CREATE TRIGGER day_of_changed_hour AFTER UPDATE ON rollup_hours
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION open_days();

CREATE TRIGGER day_of_lost_hour AFTER DELETE ON rollup_hours
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION open_days();
