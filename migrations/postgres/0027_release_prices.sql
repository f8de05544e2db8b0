-- The checksum of the price table that was imported when a release was registered; null where there was none, and for
-- releases from before this.

ALTER TABLE releases ADD COLUMN pricing_checksum TEXT COLLATE "C";
