-- Hours that have sums by tenant and task, with the sums of an hour that is over as one text of each kind: tenants and tasks
-- are null until the hour is packed, and again once something is added to it, by whoever adds it and in the same transaction.
-- size is their length, null also where an hour can't be packed: its texts are empty. changed_by is whoever changed the
-- sums last.

CREATE TABLE segment_hours (
  scope BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  size BIGINT,
  tenants TEXT COLLATE "C",
  tasks TEXT COLLATE "C",
  PRIMARY KEY (scope, bucket)
);

CREATE INDEX segment_hours_open ON segment_hours (bucket) WHERE tenants IS NULL;

INSERT INTO segment_hours (scope, bucket) SELECT DISTINCT scope, bucket FROM rollup_tenant_hours;
