-- Who is told of what. events is a JSON array of names. While a secret is rotated the one before signs too, until
-- previous_until (epoch ms by the database's clock).

CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  description TEXT,
  enabled INTEGER NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  format TEXT NOT NULL DEFAULT 'json',
  previous_secret TEXT,
  previous_until INTEGER
) STRICT;

-- The outbox: a row is written in the batch of what it announces, its body as it will be sent each time.
-- due_at is when it may next be sent; while lease is set it is when that lease ends.

CREATE TABLE webhook_deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lease TEXT,
  created_at INTEGER NOT NULL,
  last_attempt_at INTEGER,
  response_code INTEGER,
  duration_ms INTEGER,
  response_text TEXT,
  problem TEXT
) STRICT;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (status, webhook_id, due_at);

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, seq);
