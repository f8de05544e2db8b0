-- Who is told of what. events is a JSON array of names. While a secret is rotated the one before signs too, until
-- previous_until (epoch ms by the database's clock).

CREATE TABLE webhooks (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id TEXT COLLATE "C" NOT NULL UNIQUE,
  url TEXT COLLATE "C" NOT NULL,
  events TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C",
  enabled BIGINT NOT NULL,
  secret TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  format TEXT COLLATE "C" NOT NULL DEFAULT 'json',
  previous_secret TEXT COLLATE "C",
  previous_until BIGINT
);

-- The outbox: a row is written in the batch of what it announces, its body as it will be sent each time.
-- due_at is when it may next be sent; while lease is set it is when that lease ends.

CREATE TABLE webhook_deliveries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id TEXT COLLATE "C" NOT NULL UNIQUE,
  webhook_id TEXT COLLATE "C" NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  lease TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  last_attempt_at BIGINT,
  response_code BIGINT,
  duration_ms BIGINT,
  response_text TEXT COLLATE "C",
  problem TEXT COLLATE "C"
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (status, webhook_id, due_at);

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, seq);
