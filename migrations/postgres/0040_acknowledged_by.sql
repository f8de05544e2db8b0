-- Whom an identity provider vouches for who acknowledged what a release may do: issuer and subject as JSON.

ALTER TABLE acknowledgements ADD COLUMN actor_identity TEXT COLLATE "C";
