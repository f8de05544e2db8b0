-- Without a column that differs in every row, entries of a tenant or task in the same ten minutes share one key: 16 bytes per
-- event in place of 187.

DROP INDEX run_events_tenant;

CREATE INDEX run_events_tenant ON run_events (scope, (ts / 600000), tenant_id);

DROP INDEX run_events_task;

CREATE INDEX run_events_task ON run_events (scope, (ts / 600000), task_id);
