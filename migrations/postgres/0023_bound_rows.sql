-- SHA-256 of each migration, so that one that was changed is found.

ALTER TABLE schema_migrations ADD COLUMN checksum TEXT COLLATE "C";

-- Whether the audit log holds the rows that may change: tokens, webhooks, requests, watches and what else it binds. Those
-- from before it did are taken up by the next change.

ALTER TABLE audit_head ADD COLUMN logged_rows BIGINT NOT NULL DEFAULT 0;
