import { IN_SCOPE, scopeCte, sumsText } from '../../ledger/events/rollups.ts'
import { revisionOf } from '../../ledger/trail/chain.ts'
import { Sized } from '../../ledger/world/memo.ts'
import type { Moments } from '../../rules/common_time.ts'
import type { Range } from '../../rules/window.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asText,
  columns,
  jsonRows,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'

/** Runs of one release in some hours of an environment. */
export interface SegmentRead {
  readonly releaseId: string
  readonly environment: string
  readonly hours: Range
  /** See {@link Cut}. */
  readonly moments: Moments | undefined
}

/** What a process read last, and what the ledger said then of its state. */
export type KnownSums = Sized<{ readonly state: string; readonly value: unknown }>

/** Most sums that are kept, each in its stretch and among all: of two pairs of releases with 500 tenants some 120 MB. */
const MOST_KEPT = 350_000

export function newKnownSums(): KnownSums {
  return new Sized(MOST_KEPT)
}

/** What is kept of one kind. */
interface Kind<T> {
  /** How many sums a value has. */
  readonly sizeOf: (value: T) => number
  /** Whether sums lack no run of so many: they stay the same then when the last events are summed. */
  readonly isWhole: (value: T, runs: number) => boolean
}

/** What was read, with how many runs rollups count in its hours. */
interface Found<T> {
  readonly runs: number
  readonly value: T
}

/**
 * Whole hours are read again and again until the next one is over. What is summed of them changes with the number of
 * their runs, or with the revision of their agent where sums are made again or come in as cells. The statements of a query
 * find nothing unless `hasChanged`, and its answer is called for only then. What another agent does, or the policy, is
 * neither.
 */
export function unlessKnown<T>(
  known: KnownSums,
  what: string,
  read: SegmentRead,
  { sizeOf, isWhole }: Kind<T>,
  query: (hasChanged: Statement) => Query<() => T>,
): Query<Found<T>> {
  const { releaseId, environment, moments, hours } = read
  const key = keyOf(`all ${what}`, read, hours, moments)
  const before = known.get(key)
  const [from, to] = [sql`${hours.from}`, sql`${hours.to}`]
  const state = stateOf(releaseId, from, to)
  const now = onlyRow(
    sql`WITH ${scopeCte(releaseId, environment)} SELECT ${state} AS state, ${listsOf(from, to)}`,
    readState,
  )
  const hasChanged = before === undefined ? sql`true` : sql`${state} <> ${before.state}`
  return mapped(
    together({ now, valueOf: query(hasChanged) }),
    ({ now: { state: found, runs, lists }, valueOf }) => {
      if (found === before?.state) return { runs, value: before.value as T }
      const value = valueOf()
      // What is summed as it is read may be a part alone.
      if (lists === 0 || isWhole(value, runs)) known.keep(key, { state: found, value }, 1 + sizeOf(value))
      return { runs, value }
    },
  )
}

/** Some of the hours of a release, by a number, and at which moments the runs were under way, where that matters. */
export interface Stretch extends Range {
  readonly stretch: number
  readonly moments?: Moments
}

interface Wanted {
  readonly what: string
  readonly read: SegmentRead
  readonly stretches: readonly Stretch[]
  /** See {@link unlessKnown}. */
  readonly hasChanged: Statement
}

/**
 * The values of some stretches of hours, in their order. A query reads those that the CTE `changed` lists (stretch, first_hour,
 * end_hour): where one run came late, or an hour is over, only its stretch is read again.
 */
export function stretchesUnlessKnown<T>(
  dialect: Sql['dialect'],
  known: KnownSums,
  { what, read, stretches, hasChanged }: Wanted,
  { sizeOf, isWhole }: Kind<T>,
  query: (changed: Statement) => Query<(stretch: number, variants: Variants) => T>,
): Query<() => T[]> {
  const { releaseId, environment } = read
  const wanted = stretches.map(stretch => {
    const key = keyOf(what, read, stretch, stretch.moments)
    return { ...stretch, key, before: known.get(key) }
  })
  const rows = wanted.map(({ stretch, from, to, before }) => [stretch, from, to, before?.state ?? ''])
  const number = (index: number): string => `CAST(g.value ->> ${index} AS BIGINT)`
  const changed = sql`${scopeCte(releaseId, environment)}, given AS (
      SELECT ${raw(number(0))} AS stretch, ${raw(number(1))} AS first_hour, ${raw(number(2))} AS end_hour, g.value ->> 3 AS before
      FROM ${jsonRows(dialect, rows)} WHERE ${hasChanged}
    ), found AS (
      SELECT g.stretch, g.first_hour, g.end_hour, g.before, ${stateOf(releaseId, raw('g.first_hour'), raw('g.end_hour'))} AS state FROM given g
    ), changed AS MATERIALIZED (SELECT stretch, first_hour, end_hour, state FROM found WHERE state <> before)`
  const now = allRows(
    sql`WITH ${changed} SELECT c.stretch, c.state, ${listsOf(raw('c.first_hour'), raw('c.end_hour'))}, v.id, v.agent_id, v.provider, v.model
      FROM changed c LEFT JOIN (
        SELECT DISTINCT d.stretch, h.variant FROM changed d CROSS JOIN rollup_hours h
        WHERE h.${IN_SCOPE} AND h.bucket >= d.first_hour AND h.bucket < d.end_hour
      ) AS own ON own.stretch = c.stretch LEFT JOIN variants v ON v.id = own.variant
      ORDER BY v.agent_id, v.provider, v.model`,
    row => ({ ...readState(row), stretch: asNumber(row.stretch), variant: readVariant(row) }),
  )
  return mapped(together({ now, valueOf: query(changed) }), answer => () => {
    const found = Map.groupBy(answer.now, row => row.stretch)
    return wanted.map(({ stretch, key, before }) => {
      const changedRows = found.get(stretch)
      const own = changedRows?.[0]
      const value =
        changedRows === undefined
          ? (before!.value as T)
          : answer.valueOf(stretch, new Map(changedRows.map(({ variant }) => [variant.id, variant])))
      const state = own?.state ?? before!.state
      const isKept = own === undefined || own.lists === 0 || isWhole(value, own.runs)
      if (isKept) known.keep(key, { state, value }, 1 + sizeOf(value))
      return value
    })
  })
}

/** What the ids of the variants of some hours stand for, in the order of their names. */
export type Variants = ReadonlyMap<number | null, ReturnType<typeof readVariant>>

const readVariant = columns({
  id: orNull(asNumber),
  agent_id: orNull(asText),
  provider: orNull(asText),
  model: orNull(asText),
})

function keyOf(
  what: string,
  { releaseId, environment }: SegmentRead,
  { from, to }: Range,
  moments?: Moments,
): string {
  return [what, releaseId, environment, from, to, moments?.at].join('\0')
}

/** What the sums of some hours of the scope depend on, as a text. */
function stateOf(releaseId: string, from: Statement, to: Statement): Statement {
  const revision = revisionOf(sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`)
  const sums = raw(sumsText(['runs', 'errors', 'latency_sum']))
  return sql`((SELECT ${sums} FROM rollup_hours WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to})
    || ' ' || CAST(${revision} AS TEXT))`
}

/** How many rows of segments_unsummed may list runs of some hours. */
function listsOf(from: Statement, to: Statement): Statement {
  return sql`(SELECT count(*) FROM segments_unsummed WHERE last_hour >= ${from} AND first_hour < ${to}) AS lists`
}

/** A state begins with the number of runs. */
function readState(row: Row): { readonly state: string; readonly runs: number; readonly lists: number } {
  const state = asText(row.state)
  return { state, runs: Number.parseInt(state, 10), lists: asNumber(row.lists) }
}
