import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { readName, segmentQuery } from './read.ts'
import { knownSums } from './known.ts'
import { SumTable, WIDTH, aggregateOf } from './rules_tables.ts'
import type { EventSums, Rollup, SumsByName, SumsOfName } from '../../ledger/events/event_sums.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import { KEPT_FROM } from '../../ledger/events/matching_runs.ts'
import { nearlyEqual, rebuiltSlice } from '../../ledger/events/rebuild.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { either, eitherText } from '../../sql/dialect.ts'
import { type Sql, type Statement, SqlError, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  ask,
  columns,
  field,
  firstRow,
  hasRow,
  listed,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { HOURS_ROLLUP, checkHours, packHours, replacedHours, unpackHours } from './hours.ts'
import { forgetTenant, idsOfNames, lacksNames, nameStored, nameSegments, namedTenant } from './names.ts'
import { MOST_SEGMENTS_MS, REST, SEGMENT_KINDS, type SegmentKind, runsBySegment } from './rules_segments.ts'
import {
  EVENT_OF,
  SEGMENT_KEY,
  SEGMENT_ROWS,
  SEGMENT_SOURCES,
  type SegmentSource,
  type Unnamed,
  listedRows,
  listedSeqs,
  segmentRows,
  segmentSelect,
  segmentSums,
  segmentTable,
} from './tables.ts'

const ALL_LISTS = raw('SELECT seqs FROM segments_unsummed')

/** Of events that are not summed yet, and of hours whose sums are dropped, there are none. */
const onlySummed =
  (of: SegmentSource): NonNullable<Rollup['only']> =>
  () => ({
    rows: sql`ts >= ${KEPT_FROM}
      AND ${raw(EVENT_OF[of])} NOT IN (SELECT listed.value FROM ${listedSeqs(ALL_LISTS)})`,
    buckets: sql`bucket >= ${KEPT_FROM} / ${raw(String(HOUR_MS))}`,
  })

const ROLLUPS: readonly Rollup[] = [
  ...SEGMENT_KINDS.flatMap(kind =>
    SEGMENT_SOURCES.map((of): Rollup => ({
      key: SEGMENT_KEY,
      same: nearlyEqual,
      table: segmentTable(kind, of),
      widthMs: HOUR_MS,
      from: SEGMENT_ROWS[of],
      columns: segmentSums(of),
      select: (_widthMs, source) => segmentSelect(kind, of, source),
      only: onlySummed(of),
    })),
  ),
  { ...HOURS_ROLLUP, only: onlySummed('runs') },
]

/** Sums of runs by tenant and task, by the hour. */
export const sums: EventSums = {
  onStored: listStored,
  afterStored: nameStored,
  rollups: ROLLUPS,
  beforeRebuild: async db => {
    await db.batch(nameSegments(db, raw('run_events')))
  },
  catchUp: async (ledger, pace) => {
    await sumUnsummed(ledger, pace)
    await packHours(ledger, pace)
  },
  onRemoval: sumRemoved,
  afterRestore: restored,
  byName,
  elsewhere: { table: segmentTable, idsOf: idsOfNames, replaced: replacedHours },
  namesTenant: namedTenant,
  forgetTenant,
}

/**
 * The names of tenants may have been emptied while events were away, so the hours of days that are whole again are summed
 * from their events.
 */
async function restored(db: Sql, day: number): Promise<void> {
  const [from, to] = [(day * DAY_MS) / HOUR_MS, ((day + 1) * DAY_MS) / HOUR_MS]
  const hours = allRows(
    sql`SELECT DISTINCT h.scope, h.bucket FROM rollup_hours h
      WHERE h.bucket >= ${from} AND h.bucket < ${to} AND ${isWhole(sql`h.scope`, sql`h.bucket`, HOUR_MS)}
      ORDER BY h.scope, h.bucket`,
    columns({ scope: asNumber, bucket: asNumber }),
  )
  for (const { scope, bucket } of await ask(db, hours)) {
    const start = bucket * HOUR_MS
    const slice = { scope, from: start, to: start + HOUR_MS }
    const events = sql`run_events WHERE scope = ${scope} AND ts >= ${slice.from} AND ts < ${slice.to}`
    await db.batch([...nameSegments(db, events), ...rebuiltSlice(db, ROLLUPS, slice)])
  }
}

/** What a ledger needs once a minute. */
export async function upkeep(ledger: Ledger, pace: Pace): Promise<void> {
  await dropOld(ledger)
  await sums.catchUp(ledger, pace)
}

/** Drops sums that no comparison takes any more, once a day, by the database's clock: not where that is wrong. */
async function dropOld(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const due = sql`${db.clock} / ${raw(String(DAY_MS))} * ${raw(String(DAY_MS))} - ${raw(String(MOST_SEGMENTS_MS))}`
  const kept = onlyRow(
    sql`SELECT segments_before, ${due} AS due FROM retention WHERE id = 1`,
    columns({ segments_before: asNumber, due: asNumber }),
  )
  const { segments_before, due: before } = await ask(db, kept)
  if (before <= segments_before) return
  const { apart, doubt } = await readClock(ledger)
  if ((apart ?? doubt) !== undefined) return
  const tables = ROLLUPS.map(({ table }) => table)
  await db.batch([
    sql`UPDATE retention SET segments_before = ${before} WHERE id = 1 AND segments_before < ${before}`,
    ...tables.map(
      table => sql`DELETE FROM ${raw(table)}
        WHERE scope IN (SELECT id FROM scopes) AND bucket < ${before / HOUR_MS}`,
    ),
  ])
}

/** The sums of tenants or tasks by their names. An erased tenant has none, and no rows either. */
function byName(what: string): SumsByName | undefined {
  const kind = SEGMENT_KINDS.find(each => each === what)
  // Sums are dropped by whole days.
  const longestMs = MOST_SEGMENTS_MS - DAY_MS
  return kind && { longestMs, query: (ledger, read) => namedSumsQuery(ledger, kind, read) }
}

/** The sums by the names of a kind, see {@link SumsByName}: read as a diff reads them, so that either remembers them for both. */
function namedSumsQuery(
  { memo }: Parameters<SumsByName['query']>[0],
  kind: SegmentKind,
  read: Parameters<SumsByName['query']>[1],
): Query<readonly SumsOfName[] | undefined> {
  const names = sql`SELECT t.id, t.kind, t.name FROM segments t JOIN releases r ON r.agent_id = t.agent_id
    WHERE r.release_id = ${read.releaseId} AND t.environment = ${read.environment} AND t.kind = ${kind} AND t.name IS NOT NULL`
  const known = knownSums(memo)
  const both = together({
    sums: segmentQuery(SEGMENT_KINDS, { ...read, moments: undefined }, known),
    names: allRows(names, readName),
  })
  return mapped(both, found => {
    const own = found.sums.get(kind)
    if (own === undefined || runsBySegment(own).has(REST)) return undefined
    const all = new SumTable()
    const variants = new Map(own.runs.flatMap(stretch => [...stretch.variants]))
    for (const { table } of own.runs) {
      for (const [segment, slots] of table.segments) {
        for (const { variant, at } of slots) {
          const to = all.at(segment, variant)
          for (let sum = 0; sum < WIDTH; sum++) all.sums[to + sum]! += table.sums[at + sum]!
        }
      }
    }
    return found.names.flatMap(({ id, name }) =>
      (all.segments.get(id) ?? []).map(({ variant, at }) => ({
        ...aggregateOf(variants.get(variant)!, id, 0, all.sums, at),
        name: name!,
      })),
    )
  })
}

/** Lists the events that a batch stores in segments_unsummed: they are summed later. */
export function listStored({ clock }: Pick<Sql, 'clock'>, added: Statement): Statement {
  const hour = raw(String(HOUR_MS))
  const seqs = eitherText('json_group_array(seq)', 'CAST(jsonb_agg(seq) AS TEXT)')
  return sql`INSERT INTO segments_unsummed (first_seq, last_seq, first_hour, last_hour, stored_at, seqs)
    SELECT first_seq, last_seq, first_ts / ${hour}, last_ts / ${hour}, ${clock}, seqs FROM (
      SELECT min(seq) AS first_seq, max(seq) AS last_seq, min(ts) AS first_ts, max(ts) AS last_ts, ${seqs} AS seqs
      FROM ${added}) AS batch
    WHERE first_seq IS NOT NULL`
}

/** Events that one batch sums, about, and rows of segments_unsummed that list them: more would keep writers waiting. */
const MOST_EVENTS = 20_000
const MOST_LISTS = 80
/** Rows of segments_unsummed from which on nobody is waited for. */
const MANY_LISTS = 1000

/**
 * Sums the events that are listed by now, the oldest first. Each batch sums some and removes them from the list, so it
 * doesn't matter how many servers do this at once, and when one is killed. Names have got their ids when their events
 * came, nearly always: that is found out by summing.
 */
async function sumUnsummed({ sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>, pace: Pace): Promise<void> {
  const waiting = onlyRow(
    raw('SELECT coalesce(max(id), 0) AS last, count(*) AS n FROM segments_unsummed'),
    columns({ last: asNumber, n: asNumber }),
  )
  const { last, n } = await ask(db, waiting)
  const paced: Pace = n > MANY_LISTS ? batch => batch() : pace
  for (;;) {
    const ids = someOf(await ask(db, allRows(oldestUpTo(last), readList)))
    if (ids.length === 0) return
    const these = sql`id IN (${listed(ids)})`
    const by = newId('sum_')
    const sum = () => paced(() => db.batch([take(by, these), ...sumTaken(by, 'are_refused')]))
    try {
      await sum()
    } catch (error) {
      const events = listedRows('runs', these)
      if (
        !(error instanceof SqlError && error.kind === 'other' && (await ask(db, hasRow(lacksNames(events)))))
      )
        throw error
      await paced(() => db.batch(nameSegments(db, events)))
      await sum()
    }
  }
}

function oldestUpTo(last: number): Statement {
  return sql`SELECT id, last_seq - first_seq + 1 AS n FROM segments_unsummed WHERE id <= ${last}
    ORDER BY id LIMIT ${MOST_LISTS}`
}

const readList = columns({ id: asNumber, n: asNumber })

/** The first ones that list no more events together than one batch sums; at least one. */
function someOf(lists: readonly ReturnType<typeof readList>[]): number[] {
  let events = 0
  const some = lists.filter((list, index) => {
    events += list.n
    return index === 0 || events <= MOST_EVENTS
  })
  return some.map(({ id }) => id)
}

/**
 * Part of a batch that removes these events: sums those that are listed first, with the rest of their lists. Does nothing
 * where `guard` does not hold.
 */
function sumRemoved(
  { sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>,
  seqs: readonly number[],
  guard: Statement,
): Statement[] {
  if (seqs.length === 0) return []
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)]
  const by = newId('sum_')
  const events = listedRows('runs', takenBy(by))
  return [
    take(by, sql`first_seq <= ${last} AND last_seq >= ${first} AND ${guard}`),
    ...nameSegments(db, events),
    ...sumTaken(by, 'are_rest'),
  ]
}

/** Marks lists as those that this batch sums: on PostgreSQL whoever wants the same ones waits, and then finds none. */
function take(by: string, which: Statement): Statement {
  return sql`UPDATE segments_unsummed SET summed_by = ${by} WHERE summed_by IS NULL AND ${which}`
}

function takenBy(by: string): Statement {
  return sql`summed_by = ${by}`
}

function sumTaken(by: string, unnamed: Unnamed): Statement[] {
  return [
    ...SEGMENT_KINDS.flatMap(kind =>
      SEGMENT_SOURCES.map(of => addSums(kind, of, { events: takenBy(by), unnamed })),
    ),
    unpackHours(by, takenBy(by)),
    sql`DELETE FROM segments_unsummed WHERE summed_by = ${by}`,
  ]
}

interface Added {
  readonly events: Statement
  readonly unnamed: Unnamed
}

/**
 * PostgreSQL takes a key once, and keys in their order, so that two that sum at once can't wait for each other. SQLite has
 * one writer, and adds to a row as often as names share it: that takes less than sorting what is summed by name.
 */
function addSums(kind: SegmentKind, of: SegmentSource, { events, unnamed }: Added): Statement {
  const table = segmentTable(kind, of)
  const summed = segmentSums(of)
  const [key, names] = [SEGMENT_KEY.join(', '), raw([...SEGMENT_KEY, ...summed].join(', '))]
  const rows = listedRows(of, events)
  const select = either(
    sql`SELECT ${names} FROM (${segmentRows(kind, of, rows, { unnamed })}) AS named WHERE true`,
    () => sql`${segmentSelect(kind, of, rows, unnamed)} ORDER BY 1, 2, 3, 4`,
  )
  return sql`INSERT INTO ${raw(table)} (${names}) ${select}
    ON CONFLICT (${raw(key)}) DO UPDATE SET
      ${raw(summed.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', '))}`
}

export const CHECKS: readonly Check[] = [
  { name: 'segments', run: checkWaiting },
  { name: 'segments_ids', deep: true, run: checkIds },
  { name: 'segments_hours', deep: true, run: checkHours },
]

/** Events are summed once a minute; past this nobody does. */
const OVERDUE_MS = 10 * MINUTE_MS

/** Whether somebody sums the events by tenant and task: comparisons by them lack those that are not summed. */
async function checkWaiting(db: Sql): Promise<DoctorCheck[]> {
  const waiting = onlyRow(
    sql`SELECT min(stored_at) AS oldest, ${db.clock} AS now FROM segments_unsummed`,
    columns({ oldest: orNull(asNumber), now: asNumber }),
  )
  const { oldest, now } = await ask(db, waiting)
  if (oldest === null || now - oldest <= OVERDUE_MS) return []
  const detail =
    `events that were stored at ${isoTime(oldest)} are not summed by tenant and task yet; a running ` +
    "`svc serve` on this ledger sums them, or the Worker's cron trigger"
  return [{ name: 'segments', ok: true, detail, warning: true }]
}

/** Ids in the sums are those of a tenant or task of the same agent and environment, and what is to be summed is there. */
async function checkIds(db: Sql): Promise<DoctorCheck> {
  const name = 'segments_ids'
  for (const kind of SEGMENT_KINDS) {
    const unknown = firstRow(
      sql`${unknownSegments(kind)} LIMIT 1`,
      columns({ scope: asNumber, segment: asNumber }),
    )
    const found = await ask(db, unknown)
    if (found !== undefined)
      return fail(name, `segment ${found.segment} of scope ${found.scope} has no ${kind} there`)
  }
  const gone = await ask(db, firstRow(goneEvent(), field('value', asNumber)))
  if (gone !== undefined) return fail(name, `event ${gone} has to be summed, but is missing`)
  return pass(name, 'tenants and tasks of all sums are there')
}

function unknownSegments(kind: SegmentKind): Statement {
  return sql`SELECT u.scope, u.segment FROM (${join(
    SEGMENT_SOURCES.map(of => sql`SELECT scope, segment, variant FROM ${raw(segmentTable(kind, of))}`),
    ' UNION ',
  )}) AS u
    JOIN scopes s ON s.id = u.scope JOIN variants v ON v.id = u.variant
    LEFT JOIN segments t ON t.id = u.segment AND t.kind = ${kind} AND t.agent_id = v.agent_id
      AND t.environment = s.environment
    WHERE u.segment <> ${REST} AND t.id IS NULL`
}

/** Whoever removes an event sums it first. */
function goneEvent(): Statement {
  return sql`SELECT listed.value FROM ${listedSeqs(raw('SELECT seqs FROM segments_unsummed'))}
    WHERE NOT EXISTS (SELECT 1 FROM run_events e WHERE e.seq = listed.value) LIMIT 1`
}
