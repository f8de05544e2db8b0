import { DAY_MS, HOUR_MS, isoTime } from '../../base/time.ts'
import { type Row, type Sql, type Statement, patiently, raw, rowsOf, sql } from '../../sql/port.ts'
import { TEXT_COLUMNS, textOf } from '../events/event_texts.ts'
import { FORGET_BLOCKS } from '../matching/blocks.ts'
import { openGap } from './gaps.ts'

/** Keeps the events of a release and day, before they go. Resolves when they are on the disk and were read back. */
export type Archive = (of: { release_id: string; day: string }, lines: AsyncIterable<string>) => Promise<void>

/** Runs a batch, and waits after it as long as others need. What it throws ends the work between two batches. */
export type Pace = <T>(batch: () => Promise<T>) => Promise<T>

export interface PruneOptions {
  /** Epoch ms, the beginning of a day: events before it go. */
  readonly before: number
  readonly archive?: Archive | undefined
  /** Also days that were pruned before and restored; otherwise what was restored stays. */
  readonly restored: boolean
  readonly pace: Pace
}

export interface Pruned {
  /** Days of a release in an environment. */
  readonly days: number
  readonly events: number
}

/** What would go: days, and events by the roll-ups. */
export async function prunable(db: Sql, options: Pick<PruneOptions, 'before' | 'restored'>): Promise<Pruned> {
  const slices = await slicesOf(db, options.before, options.restored ? 0 : await watermark(db))
  return { days: slices.length, events: slices.reduce((sum, { runs }) => sum + runs, 0) }
}

/**
 * Removes run events day by day, in small batches, after they were archived. Roll-ups stay. First the watermark is
 * raised: what is sent of that time from then on is not stored, so a day that is archived is all there will be of it.
 * Ended at any point, the next call goes on.
 */
export async function pruneEvents(db: Sql, options: PruneOptions): Promise<Pruned> {
  const patient = patiently(db)
  const from = options.restored ? 0 : await watermark(patient)
  await raiseWatermark(patient, options.before, from)
  const slices = await slicesOf(patient, options.before, from)
  let events = 0
  const days = Map.groupBy(slices, ({ day, release_id }) => `${day} ${release_id}`)
  for (const scopes of days.values()) {
    const [{ day, release_id }] = scopes as [Slice]
    if (options.archive !== undefined) {
      const name = isoTime(day * DAY_MS).slice(0, 10)
      await options.archive({ release_id, day: name }, linesOf(patient, scopes))
    }
    for (const slice of scopes) events += await removeSlice(patient, slice, options.pace)
  }
  if (db.dialect === 'sqlite') await patient.batch([FORGET_BLOCKS])
  return { days: slices.length, events }
}

async function watermark(db: Sql): Promise<number> {
  const [row] = await rowsOf(db, sql`SELECT events_before FROM retention WHERE id = 1`)
  return Number(row!.events_before)
}

/** With the days that are to go from then on, so that whoever comes after an interruption knows of them. */
async function raiseWatermark(db: Sql, before: number, from: number): Promise<void> {
  await db.batch(
    [
      sql`UPDATE retention SET events_before = ${before} WHERE id = 1 AND events_before < ${before}`,
      sql`INSERT INTO event_gaps (scope, day, done) SELECT DISTINCT scope, bucket / 24, 0 FROM rollup_hours
        WHERE bucket >= ${from / HOUR_MS} AND bucket < ${before / HOUR_MS} ON CONFLICT (scope, day) DO NOTHING`,
    ],
    { durable: true },
  )
  // Whoever began to store events under the old one is let finish first; on SQLite nobody can be at it.
  if (db.dialect === 'sqlite') return
  await db.batch([raw('LOCK TABLE run_events IN SHARE ROW EXCLUSIVE MODE')])
}

/** A day of a release in an environment. */
interface Slice {
  readonly scope: number
  readonly day: number
  readonly release_id: string
  readonly environment: string
  readonly runs: number
}

/** Days up to the cutoff that hold events: those from `from` on, and those that no pruning has ended. */
async function slicesOf(db: Sql, before: number, from: number): Promise<Slice[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT h.scope, h.bucket / 24 AS day, s.release_id, s.environment, sum(h.runs) AS runs
      FROM rollup_hours h JOIN scopes s ON s.id = h.scope
      LEFT JOIN event_gaps g ON g.scope = h.scope AND g.day = h.bucket / 24
      WHERE h.bucket < ${before / HOUR_MS}
        AND (h.bucket >= ${from / HOUR_MS} OR g.done = 0)
      GROUP BY h.scope, h.bucket / 24, s.release_id, s.environment
      ORDER BY day, s.release_id, s.environment`,
  )
  const slices = rows.map(row => ({
    scope: Number(row.scope),
    day: Number(row.day),
    release_id: String(row.release_id),
    environment: String(row.environment),
    runs: Number(row.runs),
  }))
  const there: Slice[] = []
  for (const slice of slices) if ((await rowsOf(db, someOf(slice, 1))).length > 0) there.push(slice)
  return there
}

function someOf(slice: Slice, limit: number): Statement {
  return sql`SELECT seq FROM run_events WHERE ${inSlice(slice)} ORDER BY ts, seq LIMIT ${limit}`
}

function inSlice({ scope, day }: Slice): Statement {
  return sql`scope = ${scope} AND ts >= ${day * DAY_MS} AND ts < ${(day + 1) * DAY_MS}`
}

/** Events that are read at a time. */
const PAGE = 500

async function* linesOf(db: Sql, slices: readonly Slice[]): AsyncGenerator<string> {
  for (const slice of slices) {
    let last: Row | undefined
    do {
      const { ts, seq } = last ?? { ts: -1, seq: -1 }
      const rows = await rowsOf(
        db,
        sql`SELECT e.seq, ${TEXT_COLUMNS} FROM run_events e JOIN variants v ON v.id = e.variant
          WHERE e.scope = ${slice.scope} AND e.ts < ${(slice.day + 1) * DAY_MS}
            AND e.ts >= ${Math.max(slice.day * DAY_MS, Number(ts))} AND (e.ts, e.seq) > (${ts!}, ${seq!})
          ORDER BY e.ts, e.seq LIMIT ${PAGE}`,
      )
      for (const row of rows) yield textOf(row, slice)
      last = rows.at(-1)
    } while (last !== undefined)
  }
}

/** Events of a batch: whoever stores events at the same time waits for one of these. */
const BATCH = 200

async function removeSlice(db: Sql, slice: Slice, pace: Pace): Promise<number> {
  await db.batch([openGap(slice.scope, slice.day)])
  let events = 0
  for (;;) {
    const some = someOf(slice, BATCH)
    const removed = await pace(() =>
      db.batch([
        ...['run_parts', 'run_scores'].map(table => sql`DELETE FROM ${raw(table)} WHERE event IN (${some})`),
        sql`DELETE FROM run_events WHERE seq IN (${some})`,
      ]),
    )
    const { changes } = removed.at(-1)!
    if (changes === 0) break
    events += changes
  }
  await db.batch([sql`UPDATE event_gaps SET done = 1 WHERE scope = ${slice.scope} AND day = ${slice.day}`])
  return events
}
