import { HOUR_MS } from '../../base/time.ts'
import type { Told } from '../../ledger/assess/told.ts'
import type { Range } from '../../rules/window.ts'
import { CELL_COLUMNS, toCellSums } from '../../ledger/events/cells.ts'
import { PART_COLUMNS, toPartSums } from '../../ledger/events/parts.ts'
import {
  IN_SCOPE,
  NO_FILTERS,
  type SumColumns,
  named,
  scopeCte,
  summed,
} from '../../ledger/events/rollups.ts'
import { eventsUnderWay } from '../../ledger/events/under_way.ts'
import { UNDER_WAY } from '../../rules/statistics/match.ts'
import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asRow,
  asText,
  ask,
  columns,
  inTurn,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import {
  type KnownSums,
  type SegmentRead,
  type Stretch,
  type Variants,
  newKnownSums,
  stretchesUnlessKnown,
  unlessKnown,
} from './known.ts'
import { keepingLast } from './last.ts'
import type { RunsByTenant } from './rules_shared.ts'
import { REST, type SegmentKind, type SegmentSums, stretchHours } from './rules_segments.ts'
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
export type SumsByKind = ReadonlyMap<SegmentKind, SegmentSums | undefined>

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
  dialect: Sql['dialect'],
  kinds: readonly SegmentKind[],
  read: SegmentRead,
  known: KnownSums = newKnownSums(),
): Query<SumsByKind> {
  if (kinds.length === 0) return { statements: [], read: () => new Map() }
  const what = kinds.join(' ')
  const found = unlessKnown(known, what, read, ALL, hasChanged => {
    const wanted = { what, read, stretches: stretchesOf(read), hasChanged }
    const sums = stretchesUnlessKnown(dialect, known, wanted, ALL, changed =>
      ofKinds(kinds, kind => sumsOf({ dialect, kind, changed }, read)),
    )
    return mapped(sums, valuesOf => () => inOrder(kinds, valuesOf()))
  })
  return mapped(
    found,
    ({ runs, value }) =>
      new Map(Array.from(value, ([kind, own]) => [kind, isAll(own, runs) ? own : undefined])),
  )
}

type AllSums = ReadonlyMap<SegmentKind, SegmentSums>

const ALL = {
  sizeOf: (sums: AllSums): number =>
    [...sums.values()].reduce((size, { cells, parts }) => size + cells.length + parts.length, 0),
  isWhole: (sums: AllSums, runs: number): boolean => [...sums.values()].every(own => isAll(own, runs)),
}

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

function ofKinds(
  kinds: readonly SegmentKind[],
  query: (kind: SegmentKind) => Query<ReadStretch<SegmentSums>>,
): Query<ReadStretch<AllSums>> {
  return mapped(
    inTurn(kinds.map(query)),
    sums => (stretch, variants) =>
      new Map(kinds.map((kind, index) => [kind, sums[index]!(stretch, variants)])),
  )
}

/** The sums of all stretches, by segment, and of a segment in the order of the time. */
function inOrder(kinds: readonly SegmentKind[], stretches: readonly AllSums[]): AllSums {
  return new Map(
    kinds.map(kind => {
      const sums = stretches.map(own => own.get(kind)!)
      return [
        kind,
        {
          cells: byNumber(sums.flatMap(({ cells }) => cells)),
          parts: byNumber(sums.flatMap(({ parts }) => parts)),
        },
      ]
    }),
  )
}

function byNumber<T extends { readonly segment: number }>(sums: readonly T[]): T[] {
  const groups = Map.groupBy(sums, ({ segment }) => segment)
  return [...groups.keys()].sort((a, b) => a - b).flatMap(segment => groups.get(segment)!)
}

/** Most rows that are counted by tenant: of a longer time the newest, which are runs enough. */
const MOST_COUNTED = 10_000

/** How many runs of a release each tenant has. */
export function tenantsQuery(
  dialect: Sql['dialect'],
  read: SegmentRead,
  known: KnownSums = newKnownSums(),
): Query<RunsByTenant> {
  const counts = { sizeOf: (tenants: RunsByTenant) => tenants.size, isWhole: () => false }
  const found = unlessKnown(known, 'tenants', read, counts, hasChanged => countsOf(dialect, read, hasChanged))
  return mapped(found, ({ value }) => value)
}

function countsOf(
  dialect: Sql['dialect'],
  read: SegmentRead,
  hasChanged: Statement,
): Query<() => RunsByTenant> {
  const { from, to } = read.hours
  const within = raw(`bucket >= ${from} AND bucket < ${to}`)
  const inHours = raw(`e.ts >= ${from * HOUR_MS} AND e.ts < ${to * HOUR_MS}`)
  const isRead = raw('EXISTS (SELECT 1 FROM changed)')
  const statement = sql`WITH ${scopeCte(read.releaseId, read.environment)}, changed AS MATERIALIZED (
      SELECT 1 AS since WHERE ${hasChanged}
    ), counted AS (
      SELECT segment, runs FROM (
        SELECT segment, runs FROM changed
          CROSS JOIN ${raw(segmentTable('tenant', 'runs'))} WHERE ${IN_SCOPE} AND ${within}
        ORDER BY bucket DESC LIMIT ${raw(String(MOST_COUNTED))}) AS newest
      UNION ALL SELECT segment, runs FROM (${unsummed({ dialect, kind: 'tenant', of: 'runs', isRead, inHours }, read, ['runs'])}) AS unsummed_runs)
    SELECT segment, sum(runs) AS runs FROM counted GROUP BY segment ORDER BY segment`
  const rows = allRows(statement, columns({ segment: asNumber, runs: asNumber }))
  return mapped(
    rows,
    counted => () => new Map(counted.map(({ segment, runs }) => [Math.max(REST, segment), runs])),
  )
}

/** The stretch of the time in which an hour is, an expression. */
function stretchOf(hours: Range, hour: string): string {
  return `${hour} / ${stretchHours(hours)}`
}

interface Unsummed extends Pick<SumsOf, 'dialect' | 'kind' | 'of'> {
  /** Whether events are looked for. */
  readonly isRead: Statement
  /** Of an event `e`. */
  readonly inHours: Statement
}

/** The sums of events that are not summed yet, by stretch of the time. */
function unsummed(
  { dialect, kind, of, isRead, inHours }: Unsummed,
  { hours }: SegmentRead,
  only = segmentSums(of),
): Statement {
  const { from, to } = hours
  const inTime = `u.last_hour >= ${from} AND u.first_hour < ${to}`
  const lists = sql`${isRead} AND ${raw(`${inTime} AND (SELECT count(*) <= ${MOST_LISTS} AND sum(${LISTED[dialect]}) <= ${MOST_UNSUMMED}
      FROM segments_unsummed u WHERE ${inTime})`)}`
  const bucket = raw(stretchOf(hours, `ts / ${HOUR_MS}`))
  const rows = listedRows(dialect, of, lists, sql`e.${IN_SCOPE} AND ${inHours}`)
  return segmentRows(kind, of, rows, { unnamed: 'are_told', bucket, only })
}

/**
 * Whether sums count all runs, by a name of their own where that may have one. Those of an older version, and of a server
 * that does not sum, are missing.
 */
function isAll(own: SegmentSums, runs: number): boolean {
  return lastCounted([own], '', () => countedRuns(own)) === runs
}

const lastCounted = keepingLast<number | undefined>()

/** Undefined where sums are too many, or lack a name. */
function countedRuns({ cells, parts }: SegmentSums): number | undefined {
  return Math.max(cells.length, parts.length) > MOST_SUMS ||
    cells.some(({ segment }) => segment === NOT_NAMED)
    ? undefined
    : cells.reduce((sum, cell) => sum + cell.runs, 0)
}

interface OfKind {
  readonly dialect: Sql['dialect']
  readonly kind: SegmentKind
  /** See {@link stretchesUnlessKnown}. */
  readonly changed: Statement
}

interface SumsOf extends OfKind {
  readonly of: SegmentSource
  readonly sums: SumColumns
}

type ReadStretch<T> = (stretch: number, variants: Variants) => T

/** Those of each stretch that changed. */
function sumsOf(ofKind: OfKind, read: SegmentRead): Query<ReadStretch<SegmentSums>> {
  const rowsOf = (of: SegmentSource, sums: SumColumns) =>
    mapped(allRows(sumsStatement({ ...ofKind, of, sums }, read), asRow), rows =>
      Map.groupBy(rows, row => row.stretch),
    )
  const both = together({ cells: rowsOf('runs', CELL_COLUMNS), parts: rowsOf('parts', PART_COLUMNS) })
  return mapped(both, ({ cells, parts }) => (stretch, variants) => ({
    cells: cellsIn(cells.get(stretch) ?? [], variants),
    parts: (parts.get(stretch) ?? []).map(row => ofSegment(row, toPartSums(row))),
  }))
}

/** By segment, and of a segment in the order of the time and of the names of variants. */
function cellsIn(rows: readonly Row[], variants: Variants): SegmentSums['cells'] {
  const ranks = new Map(Array.from(variants.keys(), (id, rank) => [id, rank]))
  const rankOf = ({ variant }: Row): number => ranks.get(Number(variant)) ?? ranks.size
  const cells = rows.toSorted(
    (a, b) =>
      Number(a.segment) - Number(b.segment) || Number(a.block) - Number(b.block) || rankOf(a) - rankOf(b),
  )
  return cells.map(row => {
    const variant = variants.get(asNumber(row.variant)) ?? NOT_ROLLED_UP
    return ofSegment(row, toCellSums(Object.assign(row, variant)))
  })
}

/** Of runs that rollups do not count: sums that have them are not taken, see {@link isAll}. */
const NOT_ROLLED_UP = { agent_id: '', provider: '', model: '' }

function ofSegment<T extends object>(row: Row, sums: T): T & { segment: number } {
  return Object.assign(sums, { segment: asNumber(row.segment) })
}

const IN_CHANGED = raw(`EXISTS (SELECT 1 FROM changed c
  WHERE c.stretch >= 0 AND e.ts >= c.first_hour * ${HOUR_MS} AND e.ts < c.end_hour * ${HOUR_MS})`)

/** Events that are not summed yet are summed from their rows. */
function sumsStatement({ dialect, kind, of, sums, changed }: SumsOf, read: SegmentRead): Statement {
  const names = segmentSums(of).join(', ')
  const isRead = raw('EXISTS (SELECT 1 FROM changed)')
  const bySums = sql`SELECT p.stretch, p.block, p.segment, p.variant, ${summed(sums)} FROM sums p
    GROUP BY p.stretch, p.block, p.segment, p.variant`
  // Names next to each of many sums of runs would take a quarter of the time.
  const withNames = sql`SELECT ${named(['stretch', 'block', 'segment'], sums)}, v.agent_id, v.provider, v.model
    FROM (${bySums}) AS s JOIN variants v ON v.id = s.variant ORDER BY s.segment, s.block, v.agent_id, v.provider, v.model`
  return sql`WITH ${changed}, sums AS (
      SELECT c.stretch, c.stretch AS block, segment, variant, ${raw(names)}
      FROM changed c CROSS JOIN ${raw(segmentTable(kind, of))}
      WHERE c.stretch >= 0 AND ${IN_SCOPE} AND bucket >= c.first_hour AND bucket < c.end_hour
      UNION ALL SELECT bucket, bucket, segment, variant, ${raw(names)}
      FROM (${unsummed({ dialect, kind, of, isRead, inHours: IN_CHANGED }, read)}) AS unsummed_rows
      ${moved({ dialect, kind, of }, read)})
    ${of === 'runs' ? bySums : withNames} LIMIT ${MOST_SUMS + 1}`
}

/** Runs that were under way at the moments of the cut, moved out of the parts of the time: terms of a UNION ALL. */
function moved({ dialect, kind, of }: Pick<SumsOf, 'dialect' | 'kind' | 'of'>, read: SegmentRead): Statement {
  const { moments, hours } = read
  if (moments === undefined) return sql``
  const window = { since: hours.from * HOUR_MS, until: hours.to * HOUR_MS }
  const isOfParts = of === 'parts'
  const joined = isOfParts ? raw('JOIN run_parts rp ON rp.event = e.seq') : sql``
  const hasChanged = raw(`EXISTS (SELECT 1 FROM changed WHERE stretch = ${MOVED})`)
  const rows = sql`(SELECT ${raw(isOfParts ? 'rp.*' : 'e.*')}
    FROM ${eventsUnderWay(dialect, moments, window, NO_FILTERS, joined)} AND ${hasChanged}) AS moved_rows`
  const byName = segmentRows(kind, of, rows, {
    unnamed: 'are_told',
    bucket: raw(stretchOf(hours, `ts / ${HOUR_MS}`)),
  })
  const times = (sign: string): string =>
    segmentSums(of)
      .map(sum => `${sign}${sum}`)
      .join(', ')
  return sql`UNION ALL SELECT ${raw(`${MOVED}, bucket, segment, variant, ${times('-')}`)} FROM (${byName}) AS moved_out
    UNION ALL SELECT ${raw(`${MOVED}, ${UNDER_WAY}, segment, variant, ${times('')}`)} FROM (${byName}) AS moved_in`
}

/** Names of the tenants and tasks that statistics mention by their ids. */
export const told: Told = {
  namesIn: async (db, { segment_regressions, compared }) => {
    const { candidate, baseline } = compared?.left_out ?? {}
    const ids = new Set([
      ...[...(segment_regressions?.found ?? []), ...(segment_regressions?.with_the_whole ?? [])].map(
        ({ segment }) => segment,
      ),
      ...(candidate?.largest ?? []),
      ...(baseline?.largest ?? []),
    ])
    if (ids.size === 0) return []
    const listed = join(
      [...ids].map(id => sql`${id}`),
      ', ',
    )
    return ask(
      db,
      allRows(sql`SELECT id, kind, name FROM segments WHERE id IN (${listed}) ORDER BY id`, readName),
    )
  },
}

const readName = columns({ id: asNumber, kind: asText<SegmentKind>, name: orNull(asText) })
