-- Servers no longer ask engines for aggregates.

DROP TABLE aggregate_leases;
