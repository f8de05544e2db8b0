-- Days on which providers switch models off, as somebody said so by hand: the last row of a provider and model holds, and
-- NULL takes back what was said before. Dates of price lists stand in the price tables that were imported from them.

CREATE TABLE model_retirements (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  retirement_id TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  retires_on TEXT,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_source TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX model_retirements_model ON model_retirements (provider, model, seq);

-- What receivers were told: of a model that is live somewhere, a day, and how many days before it.

CREATE TABLE retirement_notices (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  retires_on TEXT NOT NULL,
  days INTEGER NOT NULL,
  notice_id TEXT NOT NULL,
  PRIMARY KEY (agent_id, environment, provider, model, retires_on, days)
) STRICT, WITHOUT ROWID;

-- When somebody looked last whether there is something to tell, epoch ms of the database's clock; no row before the first.

CREATE TABLE retirement_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  looked_at INTEGER NOT NULL
) STRICT;
