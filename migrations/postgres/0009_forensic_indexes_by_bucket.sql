-- The bucket first, then whose events, then the release: what both sides of a diff have of a tenant in ten minutes lies
-- on one page.

DROP INDEX run_events_tenant;

CREATE INDEX run_events_tenant ON run_events ((ts / 600000), tenant_id, scope, ts);

DROP INDEX run_events_task;

CREATE INDEX run_events_task ON run_events ((ts / 600000), task_id, scope, ts);
