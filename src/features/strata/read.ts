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
import type { Birth } from '../../rules/common_time.ts'
import { UNDER_WAY } from '../../rules/statistics/match.ts'
import { type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import { revisionOf } from '../../ledger/trail/chain.ts'
import { keepLatest } from '../../ledger/world/memo.ts'
import {
  type Query,
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  field,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { keepingLast } from './last.ts'
import type { RunsByTenant } from './rules_shared.ts'
import { REST, type StrataKind, type StrataSums, stretchHours } from './rules_strata.ts'
import {
  LISTED,
  NOT_NAMED,
  type StrataSource,
  listedRows,
  strataRows,
  strataSums,
  strataTable,
} from './tables.ts'

/** Runs of one release in some hours of an environment. */
interface StrataRead {
  readonly releaseId: string
  readonly environment: string
  readonly hours: Range
  /** See {@link Cut}. */
  readonly birth: Birth | undefined
}

/** Sums by kind; undefined where they lack some of the runs of these hours, or are too many to read. */
export type SumsByKind = ReadonlyMap<StrataKind, StrataSums | undefined>

/** Most sums of strata of a side: 500 tenants and the rest, in 25 stretches of the time, of 12 models. */
const MOST_SUMS = 150_000
/**
 * Most events that are summed as they are read, and rows of strata_unsummed that list them. Of more none are: a reader
 * would wait for seconds, and the server is summing them.
 */
const MOST_UNSUMMED = 10_000
const MOST_LISTS = 200

/** What of a query is read only where something changed since it was read last. */
interface Source {
  /** A table, as the rest of a FROM clause. */
  readonly from: (table: string) => Statement
  readonly hasChanged: Statement
}

/** What a process read last, and what the ledger said then of its state. */
export type KnownSums = Map<string, { readonly state: string; readonly value: unknown }>

/** Most that is kept; sums of a side are up to some megabytes. */
const MOST_KEPT = 8

/** What was read, with how many runs roll-ups count in its hours. */
interface Found<T> {
  readonly runs: number
  readonly value: T
}

/**
 * Whole hours are read again and again until the next one is over. What is summed of them changes with the number of
 * their runs, or with the revision of their agent where sums are made again or come in as cells. A query reads its
 * {@link Source} only where one of these did since. What another agent does, or the policy, is neither.
 */
function unlessKnown<T>(
  known: KnownSums,
  what: string,
  { releaseId, environment, birth, hours: { from, to } }: StrataRead,
  query: (source: Source) => Query<T>,
): Query<Found<T>> {
  const key = [what, releaseId, environment, from, to, birth?.at].join('\0')
  const before = known.get(key)
  const scope = scopeCte(releaseId, environment)
  const counts = ['runs', 'errors', 'latency_count'].map(column => `coalesce(sum(${column}), 0)`)
  const within = raw(`${IN_SCOPE.text} AND bucket >= ${from} AND bucket < ${to}`)
  const parts = [
    sql`(SELECT ${raw(counts.map(text).join(BESIDE))} FROM rollup_hours WHERE ${within})`,
    sql`CAST(${revisionOf(sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`)} AS TEXT)`,
  ]
  const state = join(parts, BESIDE)
  const hasChanged = before === undefined ? sql`true` : sql`${state} <> ${before.state}`
  const sourceOf = (table: string): Statement =>
    before === undefined
      ? raw(table)
      : sql`(SELECT 1 AS since WHERE ${hasChanged}) AS changed CROSS JOIN ${raw(table)}`
  const now = onlyRow(
    sql`WITH ${scope} SELECT ${state} AS state,
      (SELECT coalesce(sum(runs), 0) FROM rollup_hours WHERE ${within}) AS runs,
      (SELECT count(*) FROM strata_unsummed WHERE last_hour >= ${raw(String(from))}
        AND first_hour < ${raw(String(to))}) AS lists`,
    columns({ state: asText, runs: asNumber, lists: asNumber }),
  )
  return mapped(
    together({ now, value: query({ from: sourceOf, hasChanged }) }),
    ({ now: { state: found, runs, lists }, value: read }) => {
      if (found === before?.state) return { runs, value: before.value as T }
      // What is summed as it is read may be a part alone.
      if (lists === 0) keepLatest(known, key, { state: found, value: read }, MOST_KEPT)
      return { runs, value: read }
    },
  )
}

const BESIDE = " || ' ' || "
const text = (expression: string): string => `CAST(${expression} AS TEXT)`

/** The sums of a release's runs by tenant or task, in stretches of these hours. */
export function strataQuery(
  dialect: Sql['dialect'],
  kinds: readonly StrataKind[],
  read: StrataRead,
  known: KnownSums = new Map(),
): Query<SumsByKind> {
  if (kinds.length === 0) return { statements: [], read: () => new Map() }
  const found = unlessKnown(known, kinds.join(' '), read, source =>
    together(Object.fromEntries(kinds.map(kind => [kind, sumsOf(dialect, kind, read, source)]))),
  )
  return mapped(
    found,
    ({ runs, value }) =>
      new Map(
        Object.entries(value).map(([kind, own]) => [kind as StrataKind, isAll(own, runs) ? own : undefined]),
      ),
  )
}

/** Most rows that are counted by tenant: of a longer time the newest, which are runs enough. */
const MOST_COUNTED = 10_000

/** How many runs of a release each tenant has. */
export function tenantsQuery(
  dialect: Sql['dialect'],
  read: StrataRead,
  known: KnownSums = new Map(),
): Query<RunsByTenant> {
  const found = unlessKnown(known, 'tenants', read, source => countsOf(dialect, read, source))
  return mapped(found, ({ value }) => value)
}

function countsOf(dialect: Sql['dialect'], read: StrataRead, source: Source): Query<RunsByTenant> {
  const { from, to } = read.hours
  const within = raw(`bucket >= ${from} AND bucket < ${to}`)
  const statement = sql`WITH ${scopeCte(read.releaseId, read.environment)}, counted AS (
      SELECT stratum, runs FROM (
        SELECT stratum, runs FROM ${source.from(strataTable('tenant', 'runs'))} WHERE ${IN_SCOPE} AND ${within}
        ORDER BY bucket DESC LIMIT ${raw(String(MOST_COUNTED))}) AS newest
      UNION ALL SELECT stratum, runs FROM (${unsummed(dialect, 'tenant', 'runs', read, ['runs'])}) AS unsummed_runs)
    SELECT stratum, sum(runs) AS runs FROM counted GROUP BY stratum ORDER BY stratum`
  const rows = allRows(statement, columns({ stratum: asNumber, runs: asNumber }))
  return mapped(rows, counted => new Map(counted.map(({ stratum, runs }) => [Math.max(REST, stratum), runs])))
}

/** The stretch of the time in which an hour is, an expression. */
function stretchOf(hours: Range, hour: string): string {
  return `${hour} / ${stretchHours(hours)}`
}

/** The sums of events that are not summed yet, by stretch of the time. */
function unsummed(
  dialect: Sql['dialect'],
  kind: StrataKind,
  of: StrataSource,
  { hours }: StrataRead,
  only = strataSums(of),
): Statement {
  const { from, to } = hours
  const inTime = `u.last_hour >= ${from} AND u.first_hour < ${to}`
  const lists =
    raw(`${inTime} AND (SELECT count(*) <= ${MOST_LISTS} AND sum(${LISTED[dialect]}) <= ${MOST_UNSUMMED}
      FROM strata_unsummed u WHERE ${inTime})`)
  const inHours = sql`e.${IN_SCOPE} AND e.ts >= ${raw(String(from * HOUR_MS))} AND e.ts < ${raw(String(to * HOUR_MS))}`
  const bucket = raw(stretchOf(hours, `ts / ${HOUR_MS}`))
  return strataRows(kind, of, listedRows(dialect, of, lists, inHours), { unnamed: 'are_told', bucket, only })
}

/**
 * Whether sums count all runs, by a name of their own where that may have one. Those of an older version, and of a server
 * that does not sum, are missing.
 */
function isAll(own: StrataSums, runs: number): boolean {
  return lastCounted([own], '', () => countedRuns(own)) === runs
}

const lastCounted = keepingLast<number | undefined>()

/** Undefined where sums are too many, or lack a name. */
function countedRuns({ cells, parts }: StrataSums): number | undefined {
  return Math.max(cells.length, parts.length) > MOST_SUMS ||
    cells.some(({ stratum }) => stratum === NOT_NAMED)
    ? undefined
    : cells.reduce((sum, cell) => sum + cell.runs, 0)
}

function sumsOf(
  dialect: Sql['dialect'],
  kind: StrataKind,
  read: StrataRead,
  source: Source,
): Query<StrataSums> {
  const statement = (of: StrataSource, sums: SumColumns): Statement =>
    sumsStatement({ dialect, kind, of, sums, source }, read)
  return together({
    cells: allRows(statement('runs', CELL_COLUMNS), row => ({
      ...toCellSums(row),
      stratum: stratumOf(row),
    })),
    parts: allRows(statement('parts', PART_COLUMNS), row => ({
      ...toPartSums(row),
      stratum: stratumOf(row),
    })),
  })
}

const stratumOf = field('stratum', asNumber)

interface SumsOf {
  readonly dialect: Sql['dialect']
  readonly kind: StrataKind
  readonly of: StrataSource
  readonly sums: SumColumns
  readonly source: Source
}

/** Events that are not summed yet are summed from their rows. */
function sumsStatement({ dialect, kind, of, sums, source }: SumsOf, read: StrataRead): Statement {
  const { from, to } = read.hours
  const names = strataSums(of).join(', ')
  return sql`WITH ${scopeCte(read.releaseId, read.environment)}, sums AS (
      SELECT ${raw(`${stretchOf(read.hours, 'bucket')} AS stretch, stratum, variant, ${names}`)} FROM ${source.from(strataTable(kind, of))}
      WHERE ${IN_SCOPE} AND bucket >= ${raw(String(from))} AND bucket < ${raw(String(to))}
      UNION ALL SELECT ${raw(`bucket, stratum, variant, ${names}`)}
      FROM (${unsummed(dialect, kind, of, read)}) AS unsummed_rows
      ${moved({ dialect, kind, of, source }, read)})
    SELECT ${named(['block', 'stratum'], sums)}, v.agent_id, v.provider, v.model
    FROM (SELECT p.stretch AS block, p.stratum, p.variant, ${summed(sums)}
      FROM sums p GROUP BY 1, p.stratum, p.variant) AS s JOIN variants v ON v.id = s.variant
    ORDER BY s.stratum, s.block, v.agent_id, v.provider, v.model LIMIT ${MOST_SUMS + 1}`
}

/** Runs that were under way at the birth of the cut, moved out of the parts of the time: terms of a UNION ALL. */
function moved(
  { dialect, kind, of, source }: Pick<SumsOf, 'dialect' | 'kind' | 'of' | 'source'>,
  read: StrataRead,
): Statement {
  const { birth, hours } = read
  if (birth === undefined) return sql``
  const window = { since: hours.from * HOUR_MS, until: hours.to * HOUR_MS }
  const isOfParts = of === 'parts'
  const joined = isOfParts ? raw('JOIN run_parts rp ON rp.event = e.seq') : sql``
  const rows = sql`(SELECT ${raw(isOfParts ? 'rp.*' : 'e.*')}
    FROM ${eventsUnderWay(dialect, birth, window, NO_FILTERS, joined)} AND ${source.hasChanged}) AS moved_rows`
  const byName = strataRows(kind, of, rows, {
    unnamed: 'are_told',
    bucket: raw(stretchOf(hours, `ts / ${HOUR_MS}`)),
  })
  const times = (sign: string): string =>
    strataSums(of)
      .map(sum => `${sign}${sum}`)
      .join(', ')
  return sql`UNION ALL SELECT ${raw(`bucket, stratum, variant, ${times('-')}`)} FROM (${byName}) AS moved_out
    UNION ALL SELECT ${raw(`${UNDER_WAY}, stratum, variant, ${times('')}`)} FROM (${byName}) AS moved_in`
}

/** Names of the tenants and tasks that statistics mention by their ids. */
export const told: Told = {
  namesIn: async (db, { hot_spots, compared }) => {
    const { candidate, baseline } = compared?.left_out ?? {}
    const ids = new Set([
      ...[...(hot_spots?.found ?? []), ...(hot_spots?.with_the_whole ?? [])].map(({ stratum }) => stratum),
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
      allRows(sql`SELECT id, kind, name FROM strata WHERE id IN (${listed}) ORDER BY id`, readName),
    )
  },
}

const readName = columns({ id: asNumber, kind: asText<StrataKind>, name: orNull(asText) })
