-- When a decision was made by the database's clock, which no server can be ahead of. Null in rows of older versions.

ALTER TABLE actions ADD COLUMN decided_at INTEGER;

-- The latest time of an entry of the audit log since somebody last said that the clock was right: on SQLite, whose clock is
-- that of the machine, one that says less is wrong.

ALTER TABLE audit_head ADD COLUMN latest_at INTEGER NOT NULL DEFAULT 0;

UPDATE audit_head SET latest_at = coalesce((SELECT max(json_extract(record_json, '$.created_at')) FROM audit_log), 0);
