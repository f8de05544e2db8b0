-- Sums of the failed runs alone, so that limits on cost and latency can leave them out. failed_count is how many of the errors
-- they count: rows from before this, and imported ones, lack the sums of their errors.

ALTER TABLE rollup_minutes ADD COLUMN failed_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_latency_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_latency_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_latency_sq DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_input_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_output_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_minutes ADD COLUMN failed_cached_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_latency_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_latency_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_latency_sq DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_input_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_output_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_hours ADD COLUMN failed_cached_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_latency_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_latency_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_latency_sq DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_input_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_output_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_tenant_hours ADD COLUMN failed_cached_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_latency_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_latency_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_latency_sq DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_input_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_output_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollup_task_hours ADD COLUMN failed_cached_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_latency_count BIGINT NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_latency_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_latency_sq DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_input_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_output_sum DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE rollout_sums ADD COLUMN failed_cached_sum DOUBLE PRECISION NOT NULL DEFAULT 0;
