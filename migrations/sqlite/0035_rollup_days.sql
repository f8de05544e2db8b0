-- Days that have sums by the hour. Of a day that is over some of the sums of all its hours, and `hours`, those by which a
-- comparison cuts its time; all of them are NULL until the day is packed, and again once one of its hours changes.

CREATE TABLE rollup_days (
  scope INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  runs INTEGER,
  errors INTEGER,
  latency_count INTEGER,
  latency_sum REAL,
  tokens REAL,
  hours TEXT,
  PRIMARY KEY (scope, bucket)
) STRICT;

CREATE INDEX rollup_days_open ON rollup_days (bucket) WHERE runs IS NULL;

INSERT INTO rollup_days (scope, bucket) SELECT DISTINCT scope, bucket / 24 FROM rollup_hours;

CREATE TRIGGER day_of_new_hour AFTER INSERT ON rollup_hours
BEGIN
  INSERT INTO rollup_days (scope, bucket) VALUES (NEW.scope, NEW.bucket / 24)
  ON CONFLICT (scope, bucket) DO UPDATE SET
    runs = NULL, errors = NULL, latency_count = NULL, latency_sum = NULL, tokens = NULL, hours = NULL
  WHERE runs IS NOT NULL;
END;

CREATE TRIGGER day_of_changed_hour AFTER UPDATE ON rollup_hours
BEGIN
  UPDATE rollup_days SET
    runs = NULL, errors = NULL, latency_count = NULL, latency_sum = NULL, tokens = NULL, hours = NULL
  WHERE scope = NEW.scope AND bucket = NEW.bucket / 24 AND runs IS NOT NULL;
END;

CREATE TRIGGER day_of_lost_hour AFTER DELETE ON rollup_hours
BEGIN
  UPDATE rollup_days SET
    runs = NULL, errors = NULL, latency_count = NULL, latency_sum = NULL, tokens = NULL, hours = NULL
  WHERE scope = OLD.scope AND bucket = OLD.bucket / 24 AND runs IS NOT NULL;
END;
