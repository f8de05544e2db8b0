-- Days on which providers switch models off, as somebody said so by hand: the last row of a provider and model holds, and
-- NULL takes back what was said before. Dates of price lists stand in the price tables that were imported from them.

CREATE TABLE model_retirements (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  retirement_id TEXT COLLATE "C" NOT NULL UNIQUE,
  provider TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  retires_on TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  actor_source TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX model_retirements_model ON model_retirements (provider, model, seq);

-- What receivers were told: of a model that is live somewhere, a day, and how many days before it.

CREATE TABLE retirement_notices (
  agent_id TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  retires_on TEXT COLLATE "C" NOT NULL,
  days BIGINT NOT NULL,
  notice_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (agent_id, environment, provider, model, retires_on, days)
);

-- When somebody looked last whether there is something to tell, epoch ms of the database's clock; no row before the first.

CREATE TABLE retirement_check (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  looked_at BIGINT NOT NULL
);
