-- Calls of processes whose resource names their release, found again by their process: one call may be in two traces. held is
-- 1 for one that begins its trace while another trace may still repeat it.

ALTER TABLE kept_spans ADD COLUMN process TEXT;

ALTER TABLE kept_spans ADD COLUMN held BIGINT NOT NULL DEFAULT 0;

CREATE INDEX kept_spans_process ON kept_spans (process, seq) WHERE process IS NOT NULL;

CREATE INDEX kept_spans_held ON kept_spans (arrived_at) WHERE held = 1;
