import { type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import type { Progress } from '../world/ledger.ts'
import { BLOCK_SIZE } from './blocks.ts'

/** Notes all blocks anew, some at a time. */
export async function rebuildBlocks(db: Sql): Promise<void> {
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
  const [ahead] = await rowsOf(
    db,
    sql`SELECT 1 AS found FROM event_blocks WHERE max(block * ${BLOCK_SIZE}, last_seq) > (
        SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run_events') LIMIT 1`,
  )
  if (ahead !== undefined) return 'event_blocks tells of events to come'
  const noted = sql`AND seq <= (SELECT coalesce(max(last_seq), 0) FROM event_blocks)`
  const slices = await slicesOf(db)
  for (const [done, slice] of slices.entries()) {
    onProgress?.('blocks of events', done, slices.length)
    const [row] = await rowsOf(
      db,
      sql`WITH told AS (SELECT * FROM event_blocks WHERE ${inSlice(slice)}), found AS (${spansOf(slice, noted)}),
          whole AS (SELECT (SELECT events_before FROM retention WHERE id = 1) = 0
            AND NOT EXISTS (SELECT 1 FROM event_gaps) AND NOT EXISTS (SELECT 1 FROM erasures) AS is_whole)
        SELECT coalesce(f.block, t.block) AS block FROM found f FULL JOIN told t ON t.block = f.block
        WHERE t.block IS NULL OR t.min_ts > f.min_ts OR t.max_ts < f.max_ts OR (SELECT is_whole FROM whole) AND (
          f.block IS NULL OR (t.min_ts, t.max_ts, t.last_seq) <> (f.min_ts, f.max_ts, f.last_seq))
        ORDER BY 1 LIMIT 1`,
    )
    if (row !== undefined) return `event_blocks does not tell the times of the events of block ${row.block}`
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
  const [row] = await rowsOf(
    db,
    sql`SELECT (SELECT min(seq) FROM run_events) / ${BLOCK_SIZE} AS first, (SELECT max(seq) FROM run_events) / ${BLOCK_SIZE} AS last`,
  )
  const [first, last] = [Number(row!.first), Number(row!.last)]
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
