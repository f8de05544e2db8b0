import { type Statement, raw, sql } from '../../sql/port.ts'

/** How many events a block of SQLite holds, in order of arrival. Migrations and SQL texts must name it literally. */
const BLOCK_EVENTS = 4096
/** The same as SQL. */
export const BLOCK_SIZE = raw(String(BLOCK_EVENTS))

/**
 * Notes which times the events span that SQLite has stored since the last note. An older version that serves the same
 * ledger notes nothing: what it stored is noted with the next batch of this one.
 */
export const NOTE_BLOCKS: Statement = raw(`INSERT INTO event_blocks (block, min_ts, max_ts, last_seq)
  SELECT seq / ${BLOCK_EVENTS}, min(ts), max(ts), max(seq) FROM run_events NOT INDEXED
  WHERE seq > coalesce((SELECT last_seq FROM event_blocks ORDER BY block DESC LIMIT 1), 0)
  GROUP BY seq / ${BLOCK_EVENTS}
  ON CONFLICT (block) DO UPDATE SET min_ts = min(event_blocks.min_ts, excluded.min_ts),
    max_ts = max(event_blocks.max_ts, excluded.max_ts), last_seq = excluded.last_seq`)

/** Which block an event `e` is in, as the forensic indexes of SQLite are led by it. */
export const BLOCK_OF_EVENT = raw(`e.seq / ${BLOCK_EVENTS}`)

/**
 * Blocks that may hold events from one time to another, `since` included. The last one that is noted, and those behind
 * it, may hold events that nobody has noted yet.
 */
export function blocksBetween(since: Statement, until: Statement): Statement {
  return sql`SELECT block FROM event_blocks
      WHERE (max_ts >= ${since} AND min_ts < ${until}) OR block = (SELECT max(block) FROM event_blocks)
    UNION ALL
    SELECT DISTINCT seq / ${BLOCK_SIZE} FROM run_events NOT INDEXED
      WHERE seq >= coalesce((SELECT max(block) + 1 FROM event_blocks), 0) * ${BLOCK_SIZE}`
}

/** Forgets blocks whose events were all removed. The last one stays: it says what is noted. */
export const FORGET_BLOCKS: Statement = raw(`DELETE FROM event_blocks
  WHERE block < (SELECT max(block) FROM event_blocks) AND NOT EXISTS (SELECT 1 FROM run_events e
    WHERE e.seq >= event_blocks.block * ${BLOCK_EVENTS} AND e.seq < (event_blocks.block + 1) * ${BLOCK_EVENTS})`)
