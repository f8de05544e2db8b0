-- Webhooks no longer tell when models end.

DROP TABLE retirement_notices;

DROP TABLE retirement_check;
