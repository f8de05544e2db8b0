-- Servers no longer ask engines for cells.

DROP TABLE cell_leases;
