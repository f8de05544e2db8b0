import { HOUR_MS } from '../../base/time.ts'
import type { Naming } from '../../ledger/assess/naming.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import type { Range } from '../../rules/window.ts'
import { SUM_COLUMNS } from '../../ledger/events/block_sums.ts'
import { PART_COLUMNS, toPartSums } from '../../ledger/events/parts.ts'
import { IN_SCOPE, NO_FILTERS, named, summed } from '../../ledger/events/rollups.ts'
import { eventsUnderWay } from '../../ledger/events/under_way.ts'
import { UNDER_WAY } from '../../rules/statistics/match.ts'
import { either } from '../../sql/dialect.ts'
import { type Row, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asRow,
  asText,
  ask,
  columns,
  listed,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import {
  CHANGED,
  type Changed,
  type KnownSums,
  type SegmentRead,
  type Stretch,
  newKnownSums,
  stretchesUnlessKnown,
  unlessKnown,
} from './known.ts'
import { keepingLast } from './last.ts'
import type { RunsByTenant } from './rules_shared.ts'
import {
  MOST_SEGMENTS,
  REST,
  type ReadSums,
  SEGMENT_KINDS,
  type SegmentKind,
  type StretchSums,
  stretchHours,
} from './rules_segments.ts'
import { SumTable, type UnsummedEvent, type Variant, addEvent, addPacked } from './rules_tables.ts'
import {
  LISTED,
  NOT_NAMED,
  type SegmentSource,
  listedRows,
  segmentRows,
  segmentSums,
  segmentTable,
} from './tables.ts'

/** Sums by kind; undefined where they lack some of the runs of these hours, or are too many to read. */
type ReadByKind = ReadonlyMap<SegmentKind, ReadSums | undefined>

/** Most sums of segments of a side: 500 tenants and the rest, in 25 stretches of the time, of 12 models. */
const MOST_SUMS = 150_000
/**
 * Most events that are summed as they are read, and rows of segments_unsummed that list them. Of more none are: a reader
 * would wait for seconds, and the server is summing them.
 */
const MOST_UNSUMMED = 10_000
const MOST_LISTS = 200

/** The sums of a release's runs by tenant or task, in stretches of these hours. */
export function segmentQuery(
  kinds: readonly SegmentKind[],
  read: SegmentRead,
  known: KnownSums = newKnownSums(),
): Query<ReadByKind> {
  if (kinds.length === 0) return { statements: [], read: () => new Map() }
  const wanted = { what: kinds.join(' '), read, stretches: stretchesOf(read), joined: joinedOf(kinds) }
  const found = stretchesUnlessKnown(known, wanted, ALL, changed => sumsOf({ kinds, changed }, read))
  return mapped(
    found,
    ({ runs, value }) =>
      new Map(Array.from(value, ([kind, own]) => [kind, isAll(own, runs) ? own : undefined])),
  )
}

type AllSums = ReadonlyMap<SegmentKind, ReadSums>

const ALL = {
  sizeOf: (sums: AllSums): number =>
    [...sums.values()].reduce((size, own) => size + sizeOf(own) + own.parts.length, 0),
  isWhole: (sums: AllSums, runs: number): boolean => [...sums.values()].every(own => isAll(own, runs)),
}

function sizeOf({ runs }: ReadSums): number {
  return runs.reduce((size, { table }) => size + table.size, 0)
}

/** The sums of all stretches, in their order, and parts by segment. */
const joinedOf =
  (kinds: readonly SegmentKind[]) =>
  (stretches: readonly AllSums[]): AllSums =>
    new Map(
      kinds.map(kind => {
        const sums = stretches.map(own => own.get(kind)!)
        const parts = sums.flatMap(own => own.parts)
        return [
          kind,
          {
            runs: sums.flatMap(({ runs }) => runs),
            parts: parts.toSorted((a, b) => a.segment - b.segment),
          },
        ]
      }),
    )

/** What is said of runs that were under way at a moment has this number in place of that of a stretch. */
const MOVED = -1

function stretchesOf({ hours, moments }: SegmentRead): Stretch[] {
  const width = stretchHours(hours)
  const first = Math.floor(hours.from / width)
  const stretches = Array.from({ length: Math.ceil(hours.to / width) - first }, (_, index) => ({
    stretch: first + index,
    from: Math.max(hours.from, (first + index) * width),
    to: Math.min(hours.to, (first + index + 1) * width),
  }))
  return moments === undefined ? stretches : [...stretches, { stretch: MOVED, ...hours, moments }]
}

/** Most rows that are counted by tenant: of a longer time the newest, which are runs enough. */
const MOST_COUNTED = 10_000

/** How many runs of a release each tenant has. */
export function tenantsQuery(
  reads: OfSides<SegmentRead>,
  known: KnownSums = newKnownSums(),
): Query<OfSides<RunsByTenant>> {
  return unlessKnown(
    known,
    'tenants',
    reads,
    read => countsOf(read),
    rows => {
      const counted = rows.filter(({ segment }) => segment !== null).map(readCount)
      const value: RunsByTenant = new Map(
        counted.map(({ segment, runs }) => [Math.max(REST, segment), runs] as const),
      )
      return { value, size: value.size }
    },
  )
}

const readCount = columns({ segment: asNumber, runs: asNumber })

function countsOf(read: SegmentRead) {
  const { from, to } = read.hours
  const within = raw(`bucket >= ${from} AND bucket < ${to}`)
  const inHours = raw(`e.ts >= ${from * HOUR_MS} AND e.ts < ${to * HOUR_MS}`)
  const ctes = sql`counted AS (
      SELECT segment, runs FROM (
        SELECT segment, runs FROM changed CROSS JOIN ${raw(segmentTable('tenant', 'runs'))}
        WHERE ${IN_SCOPE} AND ${within} AND ${IS_READ}
        ORDER BY bucket DESC LIMIT ${raw(String(MOST_COUNTED))}) AS newest
      UNION ALL SELECT segment, runs FROM (${unsummed('tenant', { of: 'runs', isRead: IS_READ, inHours }, read, ['runs'])}) AS unsummed_runs)`
  const rows = sql`SELECT segment, sum(runs) AS runs FROM counted GROUP BY segment`
  return { ctes, rows, order: 'segment' }
}

/** The stretch of the time in which an hour is, an expression. */
function stretchOf(hours: Range, hour: string): string {
  return `${hour} / ${stretchHours(hours)}`
}

interface OfKind {
  readonly kind: SegmentKind
  readonly of: SegmentSource
}

interface Unsummed {
  readonly of: SegmentSource
  /** Whether events are looked for. */
  readonly isRead: Statement
  /** Of an event `e`. */
  readonly inHours: Statement
}

/** The events that are not summed yet, the rest of a FROM clause; none where they are too many. */
function unsummedRows({ of, isRead, inHours }: Unsummed, { hours }: SegmentRead): Statement {
  const { from, to } = hours
  const inTime = `u.last_hour >= ${from} AND u.first_hour < ${to}`
  const lists = sql`${isRead} AND ${raw(`${inTime} AND (SELECT count(*) <= ${MOST_LISTS} AND sum(`)}${LISTED}${raw(`) <= ${MOST_UNSUMMED}
      FROM segments_unsummed u WHERE ${inTime})`)}`
  return listedRows(of, lists, sql`e.${IN_SCOPE} AND ${inHours}`)
}

/** Their sums, by stretch of the time. */
function unsummed(
  kind: SegmentKind,
  { of, ...own }: Unsummed,
  read: SegmentRead,
  only = segmentSums(of),
): Statement {
  const bucket = raw(stretchOf(read.hours, `ts / ${HOUR_MS}`))
  return segmentRows(kind, of, unsummedRows({ of, ...own }, read), { unnamed: 'are_listed', bucket, only })
}

/**
 * Whether sums count all runs, by a name of their own where that may have one. Those of an older version, and of a server
 * that does not sum, are missing.
 */
function isAll(own: ReadSums, runs: number): boolean {
  return lastCounted([own], '', () => countedRuns(own)) === runs
}

const lastCounted = keepingLast<number | undefined>()

/** Undefined where sums are too many, or lack a name. */
function countedRuns(own: ReadSums): number | undefined {
  if (Math.max(sizeOf(own), own.parts.length) > MOST_SUMS) return undefined
  if (own.runs.some(({ table }) => table.segments.has(NOT_NAMED))) return undefined
  return own.runs.reduce((sum, { table }) => sum + table.runs, 0)
}

interface SumsOf {
  readonly kinds: readonly SegmentKind[]
  /** See {@link stretchesUnlessKnown}. */
  readonly changed: Statement
}

/** What a row of {@link runsStatement} is, other than sums of a kind. */
const [IS_STRETCH, IS_VARIANT, IS_HOUR] = [-1, -2, -3]
const SUM_NAMES = SUM_COLUMNS.map(([, name]) => name)

/** Those of each stretch that changed. */
function sumsOf(of: SumsOf, read: SegmentRead) {
  const both = together({
    runs: allRows(runsStatement(of, read), asRow),
    parts: allRows(partsStatement(of, read), asRow),
  })
  return mapped(both, ({ runs, parts }) => {
    const byWhat = Map.groupBy(runs, row => row.what)
    const rowsOf = (what: number): readonly Row[] => byWhat.get(what) ?? []
    const variants = new Map(
      rowsOf(IS_VARIANT).map(row => [asNumber(row.variant), readVariant(row)] as const),
    )
    const events = new Map(
      rowsOf(IS_STRETCH).map(({ stretch, b }) => [asNumber(stretch), readEvents(orNull(asText)(b))]),
    )
    const kinds = of.kinds.map((kind, what) => ({
      kind,
      rows: Map.groupBy(rowsOf(what), row => row.stretch),
      hours: Map.groupBy(rowsOf(IS_HOUR), row => row.stretch),
      parts: Map.groupBy(
        parts.filter(row => row.what === what),
        row => row.stretch,
      ),
    }))
    return {
      changed: rowsOf(IS_STRETCH).map(readStretch),
      valueOf: (stretch: number): AllSums =>
        new Map(
          kinds.map(({ kind, rows, hours, parts: own }) => [
            kind,
            {
              runs: tablesOf(
                stretch,
                {
                  hours: (hours.get(stretch) ?? []).map(row => asText(row[PACKED_IN[kind]])),
                  rows: rows.get(stretch) ?? [],
                  events: events.get(stretch) ?? [],
                },
                kind,
                variants,
              ),
              parts: (own.get(stretch) ?? []).map(row =>
                Object.assign(toPartSums(row), { segment: asNumber(row.segment) }),
              ),
            },
          ]),
        ),
    }
  })
}

/** A variant, and what the segment of a name without an id is, by kind. */
interface FoundVariant extends Variant {
  readonly unnamed: Readonly<Record<SegmentKind, number>>
}

const unnamedOf = (names: number): number => (names >= MOST_SEGMENTS ? REST : NOT_NAMED)
const readVariant = ({ a, b, c, stretch, block }: Row): FoundVariant => ({
  agent_id: asText(a),
  provider: asText(b),
  model: asText(c),
  unnamed: { tenant: unnamedOf(asNumber(stretch)), task: unnamedOf(asNumber(block)) },
})
const readEvents = (json: string | null): UnsummedEvent[] => (json === null ? [] : JSON.parse(json))
const readStretch = ({ stretch, a, segment }: Row): Changed => ({
  stretch: asNumber(stretch),
  state: asText(a),
  lists: asNumber(segment),
})
/** The column of a packed hour that has the sums of a kind. */
const PACKED_IN = { tenant: 'a', task: 'b' } as const

/** Of runs that rollups do not count: sums that have them are not taken, see {@link isAll}. */
const NOT_ROLLED_UP = { agent_id: '', provider: '', model: '' }

/** What is found of a kind in a stretch; rows of runs that are moved are of several stretches. */
interface FoundSums {
  readonly hours: readonly string[]
  readonly rows: readonly Row[]
  readonly events: readonly UnsummedEvent[]
}

/** The sums of a stretch from its packed hours, from rows, and from events. */
function tablesOf(
  stretch: number,
  { hours, rows, events }: FoundSums,
  kind: SegmentKind,
  names: ReadonlyMap<number, FoundVariant>,
): StretchSums[] {
  const own = new SumTable()
  const tables = new Map<number, SumTable>(hours.length + events.length > 0 ? [[stretch, own]] : [])
  for (const hour of hours) addPacked(hour, own)
  for (const event of events) {
    const segment = kind === 'tenant' ? event[6] : event[7]
    addEvent(event, segment ?? names.get(event[0])?.unnamed[kind] ?? NOT_NAMED, own)
  }
  for (const row of rows) {
    const block = asNumber(row.block)
    let table = tables.get(block)
    if (table === undefined) tables.set(block, (table = new SumTable()))
    const at = table.at(asNumber(row.segment), asNumber(row.variant))
    for (const [index, name] of SUM_NAMES.entries()) table.sums[at + index]! += asNumber(row[name])
  }
  return Array.from(tables, ([block, table]) => {
    const ids = new Set<number>()
    for (const slots of table.segments.values()) for (const { variant } of slots) ids.add(variant)
    return { block, table, variants: new Map(Array.from(ids, id => [id, names.get(id) ?? NOT_ROLLED_UP])) }
  })
}

const IN_CHANGED = raw(`EXISTS (SELECT 1 FROM changed c
  WHERE c.stretch >= 0 AND e.ts >= c.first_hour * ${HOUR_MS} AND e.ts < c.end_hour * ${HOUR_MS})`)
/** PostgreSQL may begin a join with `changed` by the other table, and read all of it where nothing changed: not so with this. */
const IS_READ = raw('EXISTS (SELECT 1 FROM changed)')

/** Most characters of packed hours that are read, the newest hours first: the database sums the rows of the others. */
const MOST_PACKED = 24_000_000

const HOURS_CTE = sql`hours AS MATERIALIZED (
    SELECT stretch, bucket, CASE WHEN size IS NOT NULL AND so_far <= ${raw(String(MOST_PACKED))} THEN 1 ELSE 0 END AS is_packed FROM (
      SELECT c.stretch, h.bucket, h.size, sum(coalesce(h.size, 0)) OVER (ORDER BY h.bucket DESC) AS so_far
      FROM changed c CROSS JOIN segment_hours h
      WHERE c.stretch >= 0 AND h.${IN_SCOPE} AND h.bucket >= c.first_hour AND h.bucket < c.end_hour) AS sized)`

/** The names that a kind has in the environment of `v`, a variant. */
function namesOf(kind: SegmentKind, environment: string): Statement {
  return sql`segments t WHERE t.agent_id = v.agent_id AND t.environment = ${environment} AND t.kind = ${raw(`'${kind}'`)}`
}

/**
 * Events that are not summed yet, as a JSON array of {@link UnsummedEvent} by stretch: summing thousands of them by tenant and by
 * task takes the database five times as long as saying what they are.
 */
function eventsStatement(read: SegmentRead): Statement {
  const idOf = (kind: SegmentKind): Statement =>
    sql`(SELECT t.id FROM ${namesOf(kind, read.environment)} AND t.name = unsummed.${raw(`${kind}_id`)})`
  const event = sql`unsummed.variant, unsummed.success, unsummed.latency_ms, unsummed.input_tokens, unsummed.output_tokens,
    unsummed.cached_input_tokens, ${join(SEGMENT_KINDS.map(idOf), ', ')}`
  const all = either(
    sql`json_group_array(json_array(${event}))`,
    () => sql`CAST(jsonb_agg(jsonb_build_array(${event})) AS TEXT)`,
  )
  return sql`SELECT ${raw(stretchOf(read.hours, `unsummed.ts / ${HOUR_MS}`))} AS stretch, ${all} AS events
    FROM ${unsummedRows({ of: 'runs', isRead: IS_READ, inHours: IN_CHANGED }, read)}
    JOIN variants v ON v.id = unsummed.variant GROUP BY 1`
}

/**
 * Sums of runs, of a kind by its number, from rows of hours that are not packed; packed hours, events that are not summed yet,
 * the stretches that changed and the variants of their runs. One statement: each would work out again what changed.
 */
function runsStatement({ kinds, changed }: SumsOf, read: SegmentRead): Statement {
  const names = segmentSums('runs').join(', ')
  const sums = kinds.map((kind, what) => {
    const own = { kind, of: 'runs' } as const
    return sql`SELECT * FROM (SELECT ${raw(String(what))} AS what, p.stretch, p.block, p.segment, p.variant,
        CAST(NULL AS TEXT) AS a, CAST(NULL AS TEXT) AS b, CAST(NULL AS TEXT) AS c, ${summed(SUM_COLUMNS)}
      FROM (
        SELECT h.stretch, h.stretch AS block, segment, variant, ${raw(names)}
        FROM hours h CROSS JOIN ${raw(segmentTable(kind, 'runs'))} t
        WHERE h.is_packed = 0 AND t.${IN_SCOPE} AND t.bucket = h.bucket
        ${moved(own, read)}
      ) AS p GROUP BY p.stretch, p.block, p.segment, p.variant LIMIT ${raw(String(MOST_SUMS + 1))}) AS of_kind`
  })
  const nothing = SUM_NAMES.map(() => 'NULL')
  const other = (own: readonly (string | number)[], rest: Statement): Statement =>
    sql`SELECT ${raw([...own, ...nothing].join(', '))} ${rest}`
  // What becomes of names without an id. Where all events are summed, none is met.
  const countOf = (kind: SegmentKind): Statement =>
    sql`CASE WHEN EXISTS (SELECT 1 FROM segments_unsummed) THEN (SELECT count(*) FROM ${namesOf(kind, read.environment)}) ELSE 0 END`
  const textOf = (kind: SegmentKind, column: string): string => (kinds.includes(kind) ? column : 'NULL')
  return sql`WITH ${changed}, ${HOURS_CTE}
    ${join(sums, ' UNION ALL ')}
    UNION ALL ${other(
      [IS_STRETCH, CHANGED.stretch, 0, CHANGED.lists, 0, CHANGED.state, 'u.events', 'NULL'],
      sql`FROM changed c LEFT JOIN (${eventsStatement(read)}) AS u ON u.stretch = c.stretch`,
    )}
    UNION ALL ${other(
      [IS_VARIANT, 'v.tenants', 'v.tasks', 0, 'v.id', 'v.agent_id', 'v.provider', 'v.model'],
      sql`FROM (SELECT v.*, ${countOf('tenant')} AS tenants, ${countOf('task')} AS tasks FROM variants v) AS v WHERE v.id IN (SELECT DISTINCT h.variant FROM changed c CROSS JOIN rollup_hours h
        WHERE h.${IN_SCOPE} AND h.bucket >= c.first_hour AND h.bucket < c.end_hour)`,
    )}
    UNION ALL ${other(
      [IS_HOUR, 'h.stretch', 0, 0, 0, textOf('tenant', 'q.tenants'), textOf('task', 'q.tasks'), 'NULL'],
      sql`FROM hours h CROSS JOIN segment_hours q WHERE h.is_packed = 1 AND q.${IN_SCOPE} AND q.bucket = h.bucket`,
    )}`
}

/** Sums of what runs used in addition to their own models, of a kind by its number. */
function partsStatement({ kinds, changed }: SumsOf, read: SegmentRead): Statement {
  const names = segmentSums('parts').join(', ')
  const sums = kinds.map((kind, what) => {
    const own = { kind, of: 'parts' } as const
    return sql`SELECT * FROM (SELECT ${raw(String(what))} AS what, p.stretch, p.block, p.segment, p.variant, ${summed(PART_COLUMNS)}
      FROM (
        SELECT c.stretch, c.stretch AS block, segment, variant, ${raw(names)}
        FROM changed c CROSS JOIN ${raw(segmentTable(kind, 'parts'))}
        WHERE c.stretch >= 0 AND ${IN_SCOPE} AND bucket >= c.first_hour AND bucket < c.end_hour
        UNION ALL SELECT bucket, bucket, segment, variant, ${raw(names)}
        FROM (${unsummed(kind, { of: 'parts', isRead: IS_READ, inHours: IN_CHANGED }, read)}) AS unsummed_rows
        ${moved(own, read)}
      ) AS p GROUP BY p.stretch, p.block, p.segment, p.variant LIMIT ${raw(String(MOST_SUMS + 1))}) AS of_kind`
  })
  return sql`WITH ${changed}
    SELECT s.what, s.stretch, ${named(['block', 'segment'], PART_COLUMNS)}, v.agent_id, v.provider, v.model
    FROM (${join(sums, ' UNION ALL ')}) AS s JOIN variants v ON v.id = s.variant
    ORDER BY s.stretch, s.segment, s.block, v.agent_id, v.provider, v.model`
}

/** Runs that were under way at the moments of the cut, moved out of the parts of the time: terms of a UNION ALL. */
function moved({ kind, of }: OfKind, read: SegmentRead): Statement {
  const { moments, hours } = read
  if (moments === undefined) return sql``
  const window = { since: hours.from * HOUR_MS, until: hours.to * HOUR_MS }
  const isOfParts = of === 'parts'
  const joined = isOfParts ? raw('JOIN run_parts rp ON rp.event = e.seq') : sql``
  const hasChanged = raw(`EXISTS (SELECT 1 FROM changed WHERE stretch = ${MOVED})`)
  const rows = sql`(SELECT ${raw(isOfParts ? 'rp.*' : 'e.*')}
    FROM ${eventsUnderWay(moments, window, NO_FILTERS, joined)} AND ${hasChanged}) AS moved_rows`
  const byName = segmentRows(kind, of, rows, {
    unnamed: 'are_listed',
    bucket: raw(stretchOf(hours, `ts / ${HOUR_MS}`)),
  })
  const times = (sign: string): string =>
    segmentSums(of)
      .map(sum => `${sign}${sum}`)
      .join(', ')
  return sql`UNION ALL SELECT ${raw(`${MOVED}, bucket, segment, variant, ${times('-')}`)} FROM (${byName}) AS moved_out
    UNION ALL SELECT ${raw(`${MOVED}, ${UNDER_WAY}, segment, variant, ${times('')}`)} FROM (${byName}) AS moved_in`
}

/** The tenants and tasks that statistics mention by their ids, and their names. */
export const naming: Naming = {
  idsIn: ({ segment_regressions, compared }) => {
    const { candidate, baseline } = compared?.left_out ?? {}
    return [
      ...new Set([
        ...[...(segment_regressions?.found ?? []), ...(segment_regressions?.with_the_whole ?? [])].map(
          ({ segment }) => segment,
        ),
        ...(candidate?.largest ?? []),
        ...(baseline?.largest ?? []),
      ]),
    ]
  },
  namesOf: async (db, ids) => {
    if (ids.length === 0) return []
    return ask(
      db,
      allRows(sql`SELECT id, kind, name FROM segments WHERE id IN (${listed(ids)}) ORDER BY id`, readName),
    )
  },
}

export const readName = columns({ id: asNumber, kind: asText<SegmentKind>, name: orNull(asText) })
