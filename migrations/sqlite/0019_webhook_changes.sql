-- What a webhook is sent as; and while its secret is rotated the one before, which signs too until previous_until
-- (epoch ms by the database's clock).

ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'json';

ALTER TABLE webhooks ADD COLUMN previous_secret TEXT;

ALTER TABLE webhooks ADD COLUMN previous_until INTEGER;
