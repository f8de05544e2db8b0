-- Nothing to do here: PostgreSQL commits events in another order than it numbers them.

SELECT 1;
