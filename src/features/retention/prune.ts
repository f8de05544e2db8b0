import { DAY_MS, HOUR_MS, dayText, isoTime } from '../../base/time.ts'
import { patiently } from '../../sql/deadline.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, field, hasRow, inTurn, onlyRow } from '../../sql/query.ts'
import { TEXT_COLUMNS, textOf } from '../../ledger/events/event_texts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { forgetBlocks } from '../../ledger/events/blocks.ts'
import type { EventSums } from '../../ledger/events/event_sums.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import { type Ended, type Job, type Manner, carryOut, findJob, noteInJob, runBatch, markGap } from './job.ts'
import { REMOVED_AT_ONCE, letWritersEnd, removeEvents } from './remove.ts'
import { parseWindow } from '../../rules/window.ts'
import { ageBefore } from '../../ledger/world/query.ts'
import { concernsOf } from '../../ledger/registry/unusable.ts'

/**
 * Keeps the events of a day (`2026-01-31`, UTC), before they go. Resolves when they are on the disk. `renew` throws where
 * another process took the pruning over: it archives the day too, so this one must not count it as archived. It is to be
 * called more often than `JOB_LEASE_MS`.
 */
export type Archive = (day: string, lines: AsyncIterable<string>, renew: () => Promise<void>) => Promise<void>

export interface PruneOptions extends Manner {
  /** Epoch ms, the beginning of a day: events before it go. */
  readonly before: number
  readonly archive?: Archive | undefined
  /** Also days that were pruned before and restored; otherwise what was restored stays. */
  readonly restored: boolean
}

export interface Pruned {
  /** Days of a release in an environment. */
  readonly days: number
  readonly events: number
}

/** What would go: days, and events by the rollups. */
export async function prunable(db: Sql, options: Pick<PruneOptions, 'before' | 'restored'>): Promise<Pruned> {
  const slices = await slicesOf(db, options.before, options.restored ? 0 : await watermark(db))
  return { days: slices.length, events: slices.reduce((sum, { runs }) => sum + runs, 0) }
}

const PRUNING = { kind: 'prune', subject: '' } as const

/**
 * Removes run events day by day, in small batches, after they were archived. Rollups stay. First the watermark is
 * raised: what is sent of that time from then on is not stored, so a day that is archived is all there will be of it.
 * Only one process at a time prunes a ledger, so a day is archived once. Ended at any point, the next call goes on, and
 * the counts are those of the whole.
 */
export async function pruneEvents(ledger: Ledger, options: PruneOptions): Promise<Pruned> {
  const db = patiently(ledger.sql)
  const { before } = options
  const from = options.restored ? 0 : await watermark(db)
  await raiseWatermark(db, before, from)
  const isBegun = (await findJob(db, PRUNING)) !== undefined
  if (!isBegun && (await slicesOf(db, before, from)).length === 0) return { days: 0, events: 0 }
  const newJob = { ...PRUNING, details: { before: isoTime(before) } }
  const pruning = { ledger: { ...ledger, sql: db }, sums: await sumsOf(ledger.features), pace: options.pace }
  return carryOut(ledger, newJob, options, async job => {
    const furthest = sql`CASE WHEN events_before < ${before} THEN ${before} ELSE events_before END`
    await runBatch(db, job, [noteInJob(job, sql`events_before = ${furthest}`)])
    // Read again: who had the job until now has pruned some of them.
    const slices = await slicesOf(db, before, from)
    for (const [day, scopes] of Map.groupBy(slices, slice => slice.day)) {
      await options.archive?.(dayText(day * DAY_MS), linesOf(db, scopes), () => runBatch(db, job))
      for (const slice of scopes) await removeSlice(pruning, job, slice)
    }
    await forgetBlocks(db)
    return prunedOf
  })
}

const prunedOf: Ended<Pruned> = async row => {
  const result = { days: row.days, events: row.events }
  return { details: { before: isoTime(row.events_before), ...result }, result }
}

async function watermark(db: Sql): Promise<number> {
  const before = sql`SELECT events_before FROM retention WHERE id = 1`
  return ask(db, onlyRow(before, field('events_before', asNumber)))
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
  await letWritersEnd(db)
}

const readSlice = columns({
  scope: asNumber,
  day: asNumber,
  release_id: asText,
  environment: asText,
  runs: asNumber,
})

/** A day of a release in an environment. */
type Slice = ReturnType<typeof readSlice>

/** Days up to the cutoff that hold events: those from `from` on, and those that no pruning has ended. */
async function slicesOf(db: Sql, before: number, from: number): Promise<Slice[]> {
  const days = sql`SELECT h.scope, h.bucket / 24 AS day, s.release_id, s.environment, sum(h.runs) AS runs
      FROM rollup_hours h JOIN scopes s ON s.id = h.scope
      LEFT JOIN event_gaps g ON g.scope = h.scope AND g.day = h.bucket / 24
      WHERE h.bucket < ${before / HOUR_MS}
        AND (h.bucket >= ${from / HOUR_MS} OR g.done = 0)
      GROUP BY h.scope, h.bucket / 24, s.release_id, s.environment
      ORDER BY day, s.release_id, s.environment`
  const there: Slice[] = []
  for (const slice of await ask(db, allRows(days, readSlice))) {
    if (await ask(db, hasRow(someOf(slice, 1)))) there.push(slice)
  }
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
    let last: { readonly ts: number; readonly seq: number } | undefined
    do {
      const { ts, seq } = last ?? { ts: -1, seq: -1 }
      const page = sql`SELECT e.seq, ${TEXT_COLUMNS} FROM run_events e JOIN variants v ON v.id = e.variant
        WHERE e.scope = ${slice.scope} AND e.ts < ${(slice.day + 1) * DAY_MS}
          AND e.ts >= ${Math.max(slice.day * DAY_MS, ts)} AND (e.ts, e.seq) > (${ts}, ${seq})
        ORDER BY e.ts, e.seq LIMIT ${PAGE}`
      const rows = await ask(
        db,
        allRows(page, row => ({ ...readPosition(row), text: textOf(row, slice) })),
      )
      for (const { text } of rows) yield text
      last = rows.at(-1)
    } while (last !== undefined)
  }
}

const readPosition = columns({ ts: asNumber, seq: asNumber })

interface Pruning {
  readonly ledger: Ledger
  readonly sums: readonly EventSums[]
  readonly pace: Manner['pace']
}

async function removeSlice({ ledger, sums, pace }: Pruning, job: Job, slice: Slice): Promise<void> {
  for (let isLast = false; !isLast;) {
    // One more says whether there is a next batch: the last one ends the day.
    const some = await ask(ledger.sql, allRows(someOf(slice, REMOVED_AT_ONCE + 1), field('seq', asNumber)))
    isLast = some.length <= REMOVED_AT_ONCE
    const seqs = some.slice(0, REMOVED_AT_ONCE)
    const ending = isLast ? [noteInJob(job, sql`days = days + 1`)] : []
    const before = [markGap(slice, { done: isLast, job }), ...ending]
    await pace(() => removeEvents(ledger, job, { seqs, sums, before }))
  }
}

/**
 * Before which moment run events may go, epoch ms, by the database's clock: the beginning of a day (UTC), not later than
 * the age says, and not within the window of a pending promotion request, whose confirmation evaluates it again, or of
 * what a feature will still decide on.
 */
export async function eventCutoff(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  age: string,
): Promise<number> {
  const at = await ask(db, onlyRow(sql`SELECT ${db.clock} AS now`, field('now', asNumber)))
  const wanted = [
    ageBefore(age, at),
    ...(await pendingSince(db, at)),
    ...(await concernedSince(db, features)),
  ]
  return Math.max(0, Math.floor(Math.min(...wanted) / DAY_MS) * DAY_MS)
}

async function pendingSince(db: Sql, at: number): Promise<number[]> {
  const windows = allRows(
    sql`SELECT DISTINCT window_text FROM promotion_requests WHERE status = 'pending'`,
    field('window_text', asText),
  )
  return (await ask(db, windows)).flatMap(text => {
    const window = parseWindow(text, at)
    return typeof window === 'string' ? [] : [window.since]
  })
}

async function concernedSince(db: Sql, features: Ledger['features']): Promise<number[]> {
  const concerns = await concernsOf(features)
  const times = concerns.map(concern => allRows(concern, field('since_ms', asNumber)))
  return (await ask(db, inTurn(times))).flat()
}
