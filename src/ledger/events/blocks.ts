import { type Statement, type Sql, join, raw, sql } from '../../sql/port.ts'
import { asNumber, ask, columns, field, firstRow, hasRow, onlyRow, orNull } from '../../sql/query.ts'
import type { Progress } from '../world/ledger.ts'

/** How many events a block of SQLite holds, in order of arrival. Migrations and SQL texts must name it literally. */
const BLOCK_EVENTS = 4096
/** The same as SQL. */
const BLOCK_SIZE = raw(String(BLOCK_EVENTS))

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

/** From one time to another, `until` excluded: expressions. */
export interface Span {
  readonly since: Statement
  readonly until: Statement
}

/**
 * Blocks that may hold events of some times. The last one that is noted, and those behind it, may hold events that nobody has
 * noted yet.
 */
export function blocksBetween(spans: readonly Span[]): Statement {
  const holds = spans.map(({ since, until }) => sql`(max_ts >= ${since} AND min_ts < ${until})`)
  return sql`SELECT block FROM event_blocks
      WHERE ${join(holds, ' OR ')} OR block = (SELECT max(block) FROM event_blocks)
    UNION ALL
    SELECT DISTINCT seq / ${BLOCK_SIZE} FROM run_events NOT INDEXED
      WHERE seq >= coalesce((SELECT max(block) + 1 FROM event_blocks), 0) * ${BLOCK_SIZE}`
}

/** Forgets blocks whose events were all removed. The last one stays: it says what is noted. */
export async function forgetBlocks(db: Sql): Promise<void> {
  if (!hasBlocks(db)) return
  await db.batch([
    sql`DELETE FROM event_blocks
      WHERE block < (SELECT max(block) FROM event_blocks) AND NOT EXISTS (SELECT 1 FROM run_events e
        WHERE e.seq >= event_blocks.block * ${BLOCK_SIZE} AND e.seq < (event_blocks.block + 1) * ${BLOCK_SIZE})`,
  ])
}

/** PostgreSQL finds events by their times without, and sums them when they come in. */
export function hasBlocks({ dialect }: Sql): boolean {
  return dialect === 'sqlite'
}

/** Notes all blocks again, some at a time. */
export async function rebuildBlocks(db: Sql): Promise<void> {
  if (!hasBlocks(db)) return
  await db.batch([
    sql`DELETE FROM event_blocks WHERE block > (SELECT coalesce(max(seq), 0) FROM run_events) / ${BLOCK_SIZE}`,
  ])
  for (const slice of await slicesOf(db)) {
    await db.batch([
      sql`DELETE FROM event_blocks WHERE ${inSlice(slice)}`,
      sql`INSERT INTO event_blocks (block, min_ts, max_ts, last_seq) ${spansOf(slice)}`,
    ])
  }
}

/**
 * What is wrong with the notes: events that they hide, and, unless events were removed, blocks that are noted otherwise
 * than they are. Events behind the last note are no fault: reads look at all of those.
 */
export async function blockProblem(db: Sql, onProgress?: Progress): Promise<string | undefined> {
  if (!hasBlocks(db)) return undefined
  const ahead = sql`SELECT 1 AS found FROM event_blocks WHERE max(block * ${BLOCK_SIZE}, last_seq) > (
    SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run_events') LIMIT 1`
  if (await ask(db, hasRow(ahead))) return 'event_blocks has events of the future'
  const noted = sql`AND seq <= (SELECT coalesce(max(last_seq), 0) FROM event_blocks)`
  const slices = await slicesOf(db)
  for (const [done, slice] of slices.entries()) {
    onProgress?.('blocks of events', done, slices.length)
    const wrong = firstRow(
      sql`WITH noted AS (SELECT * FROM event_blocks WHERE ${inSlice(slice)}), found AS (${spansOf(slice, noted)}),
          whole AS (SELECT (SELECT events_before FROM retention WHERE id = 1) = 0
            AND NOT EXISTS (SELECT 1 FROM event_gaps) AND NOT EXISTS (SELECT 1 FROM erasures) AS is_whole)
        SELECT coalesce(f.block, t.block) AS block FROM found f FULL JOIN noted t ON t.block = f.block
        WHERE t.block IS NULL OR t.min_ts > f.min_ts OR t.max_ts < f.max_ts OR (SELECT is_whole FROM whole) AND (
          f.block IS NULL OR (t.min_ts, t.max_ts, t.last_seq) <> (f.min_ts, f.max_ts, f.last_seq))
        ORDER BY 1 LIMIT 1`,
      field('block', asNumber),
    )
    const block = await ask(db, wrong)
    if (block !== undefined) return `event_blocks lacks the times of the events of block ${block}`
  }
  return undefined
}

/** Blocks that are looked through at a time: a million events. */
const SLICE = 256

interface Slice {
  readonly from: number
  /** Excluded. */
  readonly to: number
}

async function slicesOf(db: Sql): Promise<Slice[]> {
  const ends = onlyRow(
    sql`SELECT (SELECT min(seq) FROM run_events) / ${BLOCK_SIZE} AS first, (SELECT max(seq) FROM run_events) / ${BLOCK_SIZE} AS last`,
    columns({ first: orNull(asNumber), last: orNull(asNumber) }),
  )
  const { first, last } = await ask(db, ends)
  if (first === null || last === null) return [{ from: 0, to: SLICE }]
  return Array.from({ length: Math.ceil((last - first + 1) / SLICE) }, (_, index) => {
    const from = first + index * SLICE
    return { from, to: from + SLICE }
  })
}

function inSlice({ from, to }: Slice): Statement {
  return sql`block >= ${from} AND block < ${to}`
}

/** The blocks as their events are: from an index, not from the rows. */
function spansOf({ from, to }: Slice, also = sql``): Statement {
  return sql`SELECT seq / ${BLOCK_SIZE} AS block, min(ts) AS min_ts, max(ts) AS max_ts, max(seq) AS last_seq FROM run_events
    WHERE seq / ${BLOCK_SIZE} >= ${from} AND seq / ${BLOCK_SIZE} < ${to} ${also} GROUP BY seq / ${BLOCK_SIZE}`
}
